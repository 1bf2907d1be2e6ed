import { createHash, type Hash } from 'node:crypto';

/** Hashes of an object's bytes as they pass: of all of them, and of the part that is under way. */
export class StreamHashes {
  #sha256: Hash;
  /** Of all bytes, where an object in parts has one to be held against. */
  #md5: Hash | null;
  #part: Hash = createHash('md5');

  constructor(options: { wantsWholeMd5: boolean }) {
    this.#sha256 = createHash('sha256');
    this.#md5 = options.wantsWholeMd5 ? createHash('md5') : null;
  }

  update(chunk: Buffer): void {
    this.#sha256.update(chunk);
    this.#part.update(chunk);
    this.#md5?.update(chunk);
  }

  /** As it stands: what is added to one of them is not added to the other. */
  copy(): StreamHashes {
    const copy = new StreamHashes({ wantsWholeMd5: false });
    copy.#sha256 = this.#sha256.copy();
    copy.#md5 = this.#md5?.copy() ?? null;
    copy.#part = this.#part.copy();
    return copy;
  }

  /** The MD5 of the bytes since the last part ended. */
  endPart(): Buffer {
    const md5 = this.#part.digest();
    this.#part = createHash('md5');
    return md5;
  }

  /** Lower-case hex; once, at the end. */
  sha256(): string {
    return this.#sha256.digest('hex');
  }

  /** Lower-case hex, where it was wanted; once, at the end. */
  wholeMd5(): string | null {
    return this.#md5?.digest('hex') ?? null;
  }
}
