import { createHash, type Hash } from 'node:crypto';

/** A part that is read before its turn: what has arrived of it waits to be hashed. */
interface HeldPart {
  readonly bytes: Buffer;
  length: number;
  readonly release: () => void;
}

/**
 * The hashes of an object whose parts arrive side by side. The SHA-256 and the MD5 of the whole
 * take the bytes in their order, so those of a later part are held until its turn. Parts are
 * counted from 0.
 */
export class StreamHashes {
  readonly #wantsPartMd5s: boolean;
  /** Hashes of the parts before the current one: a part that fails begins again with these. */
  #previous: readonly Hash[];
  /** Hashes of all bytes: SHA-256, and MD5 if it is wanted. */
  #whole: readonly Hash[];
  readonly #parts = new Map<number, Hash>();
  readonly #held = new Map<number, HeldPart>();
  readonly #ended = new Set<number>();
  #turn = 0;

  /** An MD5 costs more than twice as much as a SHA-256. Without `whole`, only parts are hashed. */
  constructor(wanted: {
    readonly partMd5s: boolean;
    readonly whole: boolean;
    readonly wholeMd5: boolean;
  }) {
    this.#wantsPartMd5s = wanted.partMd5s;
    this.#previous = [
      ...(wanted.whole ? [createHash('sha256')] : []),
      ...(wanted.whole && wanted.wholeMd5 ? [createHash('md5')] : []),
    ];
    this.#whole = copyOf(this.#previous);
  }

  /** Whether the bytes of a part are hashed as they arrive. */
  isTurn(part: number): boolean {
    return part === this.#turn || this.#whole.length === 0;
  }

  /** Announces a part before its turn. `release` is called once nothing of it is held. */
  hold(part: number, sizeBytes: number, release: () => void): void {
    this.#held.set(part, { bytes: Buffer.allocUnsafeSlow(sizeBytes), length: 0, release });
  }

  /** Begins a part, or begins it again. */
  begin(part: number): void {
    if (this.#wantsPartMd5s) this.#parts.set(part, createHash('md5'));
    const held = this.#held.get(part);
    if (held) held.length = 0;
    else this.#whole = copyOf(this.#previous);
  }

  update(part: number, piece: Buffer): void {
    this.#parts.get(part)?.update(piece);
    const held = this.#held.get(part);
    if (held) held.length += piece.copy(held.bytes, held.length);
    else for (const hash of this.#whole) hash.update(piece);
  }

  /** The MD5 of a part, if those are wanted. Call once. */
  partMd5(part: number): Buffer | undefined {
    return this.#parts.get(part)?.digest();
  }

  /** The target has taken the part: it does not begin again. */
  end(part: number): void {
    this.#parts.delete(part);
    this.#ended.add(part);
    while (this.#ended.delete(this.#turn)) {
      this.#previous = copyOf(this.#whole);
      this.#turn += 1;
      this.#hashHeld();
    }
  }

  close(): void {
    for (const { release } of this.#held.values()) release();
    this.#held.clear();
  }

  /** Lower-case hex. Call once, at the end. */
  sha256(): string {
    return this.#whole[0]?.digest('hex') ?? '';
  }

  /** Lower-case hex, or null if it is not wanted. Call once, at the end. */
  wholeMd5(): string | null {
    return this.#whole[1]?.digest('hex') ?? null;
  }

  #hashHeld(): void {
    const held = this.#held.get(this.#turn);
    if (!held) return;
    this.#held.delete(this.#turn);
    for (const hash of this.#whole) hash.update(held.bytes.subarray(0, held.length));
    held.release();
  }
}

function copyOf(hashes: readonly Hash[]): readonly Hash[] {
  return hashes.map((hash) => hash.copy());
}
