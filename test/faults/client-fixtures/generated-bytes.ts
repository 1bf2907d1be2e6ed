import { createHash } from 'node:crypto';

/** No divisor of a part's size: pieces do not end where parts end. */
const PIECE_BYTES = 1_000_003;
const POSITION_BYTES = 8;
const NOISE = noise(PIECE_BYTES - POSITION_BYTES);

/**
 * The same bytes for the same size: pieces of one noise, each after its own position, so that no two parts
 * are equal. The noise is not copied.
 */
export function* generatedBytes(sizeBytes: number): Generator<Buffer> {
  for (let start = 0; start < sizeBytes; start += PIECE_BYTES) {
    const leftBytes = sizeBytes - start;
    const position = Buffer.alloc(POSITION_BYTES);
    position.writeDoubleBE(start);
    yield position.subarray(0, leftBytes);
    if (leftBytes > POSITION_BYTES) yield NOISE.subarray(0, leftBytes - POSITION_BYTES);
  }
}

function noise(sizeBytes: number): Buffer {
  const digests: Buffer[] = [];
  for (let bytes = 0; bytes < sizeBytes; bytes += 32)
    digests.push(createHash('sha256').update(`${bytes}`).digest());
  return Buffer.concat(digests, sizeBytes);
}
