import type { Md5 } from '../source/platform.ts';

const SHIFTS_OF_ROUNDS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
const BLOCK_BYTES = 64;
/** The length of the message, in bits, ends the last block. */
const LENGTH_BYTES = 8;
/** RFC 1321 section 3.4, by step: the constant to add, the bits to rotate by, the block's word. */
const SINES = tabulate((step) => Math.floor(Math.abs(Math.sin(step + 1)) * 2 ** 32));
const SHIFTS = tabulate((step) => SHIFTS_OF_ROUNDS[(step >> 4) * 4 + (step % 4)] ?? 0);
const WORDS = tabulate(
  (step) => [step, 5 * step + 1, 3 * step + 5, 7 * step].map((word) => word % 16)[step >> 4] ?? 0,
);

/** MD5 for runtimes that have none, such as browsers (RFC 1321). */
export function createMd5(): Md5 {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
  const block = new Uint8Array(BLOCK_BYTES);
  const words = new Int32Array(BLOCK_BYTES / 4);
  let buffered = 0;
  let totalBytes = 0;

  function hashBlock(bytes: Uint8Array, start: number): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset + start, BLOCK_BYTES);
    for (let word = 0; word < 16; word += 1) words[word] = view.getInt32(word * 4, true);
    addBlock(state, words);
  }

  function update(bytes: Uint8Array): void {
    totalBytes += bytes.byteLength;
    let start = 0;
    if (buffered > 0) {
      start = Math.min(BLOCK_BYTES - buffered, bytes.byteLength);
      block.set(bytes.subarray(0, start), buffered);
      buffered += start;
      if (buffered < BLOCK_BYTES) return;
      hashBlock(block, 0);
    }
    for (; start + BLOCK_BYTES <= bytes.byteLength; start += BLOCK_BYTES) hashBlock(bytes, start);
    block.set(bytes.subarray(start));
    buffered = bytes.byteLength - start;
  }

  function finish(): Uint8Array {
    const sizeBytes = totalBytes;
    const ended = buffered + 1 + LENGTH_BYTES;
    const padding = new Uint8Array(Math.ceil(ended / BLOCK_BYTES) * BLOCK_BYTES - buffered);
    padding[0] = 0x80;
    const length = new DataView(padding.buffer, padding.byteLength - LENGTH_BYTES);
    length.setUint32(0, (sizeBytes * 8) >>> 0, true);
    length.setUint32(4, Math.floor(sizeBytes / 2 ** 29), true);
    update(padding);
    const digest = new DataView(new ArrayBuffer(16));
    for (const [word, value] of state.entries()) digest.setInt32(word * 4, value, true);
    return new Uint8Array(digest.buffer);
  }

  return {
    update,
    digest: (encoding) => {
      const digest = finish();
      if (encoding === 'base64') return btoa(String.fromCharCode(...digest));
      return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
    },
  };
}

function tabulate(value: (step: number) => number): Int32Array {
  return Int32Array.from({ length: 64 }, (_, step) => value(step));
}

/** RFC 1321 section 3.4. The indices are below 64, so each table has a value. */
function addBlock(state: Int32Array, words: Int32Array): void {
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  for (let step = 0; step < 64; step += 1) {
    let mixed: number;
    if (step < 16) mixed = (b & c) | (~b & d);
    else if (step < 32) mixed = (d & b) | (~d & c);
    else if (step < 48) mixed = b ^ c ^ d;
    else mixed = c ^ (b | ~d);
    const word = words[WORDS[step] as number] as number;
    const sum = (a + mixed + (SINES[step] as number) + word) | 0;
    const shift = SHIFTS[step] as number;
    a = d;
    d = c;
    c = b;
    b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0;
  }
  state[0] = (state[0] as number) + a;
  state[1] = (state[1] as number) + b;
  state[2] = (state[2] as number) + c;
  state[3] = (state[3] as number) + d;
}
