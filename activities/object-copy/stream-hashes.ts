import { createHash, type Hash } from 'node:crypto';

/** Hashes of a stream: of all bytes, and of the current part. */
export class StreamHashes {
  #sha256: Hash;
  /** Of all bytes, if the object's ETag is one. */
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

  /** An independent copy of the current state. */
  copy(): StreamHashes {
    const copy = new StreamHashes({ wantsWholeMd5: false });
    copy.#sha256 = this.#sha256.copy();
    copy.#md5 = this.#md5?.copy() ?? null;
    copy.#part = this.#part.copy();
    return copy;
  }

  /** The MD5 of the bytes since the end of the last part. */
  endPart(): Buffer {
    const md5 = this.#part.digest();
    this.#part = createHash('md5');
    return md5;
  }

  /** Lower-case hex. Call once, at the end. */
  sha256(): string {
    return this.#sha256.digest('hex');
  }

  /** Lower-case hex, or null if it was not requested. Call once, at the end. */
  wholeMd5(): string | null {
    return this.#md5?.digest('hex') ?? null;
  }
}
