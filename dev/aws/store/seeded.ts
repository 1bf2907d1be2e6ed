import { createCipheriv, createHash, type Hash } from 'node:crypto';

/** Bytes that are made on the fly: all that is kept of them is this. */
export interface SeededContent {
  readonly seed: string;
  /** Which object of the seed's family: their bytes differ in the last {@link TAIL_BYTES}. */
  readonly index: number;
  readonly sizeBytes: number;
}

const BLOCK_BYTES = 256 * 1024;
const ZEROS = Buffer.alloc(BLOCK_BYTES);
/** How many bytes at the end of an object are its own; what stands before is shared by its seed. */
const TAIL_BYTES = 8;
/** Above this an ETag has the form of a multipart upload's, below it is the true MD5. */
const TRUE_MD5_LIMIT_BYTES = 64 * 1024 * 1024;
const NOMINAL_PART_BYTES = 8 * 1024 * 1024;
const KEPT_STATES = 4096;

/** What is computed once per seed. */
interface SeedKeys {
  readonly noise: Buffer;
  /** Two numbers that make the tails of this seed unlike those of others. */
  readonly tail: readonly [number, number];
  /**
   * The MD5 state before the tail, by size: with it the true ETag of the next object of that size
   * costs microseconds, and a page of 1,000 keys stays cheap.
   */
  readonly states: Map<number, Hash>;
}

const seedKeys = new Map<string, SeedKeys>();

function keysOf(seed: string): SeedKeys {
  const known = seedKeys.get(seed);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(seed).digest();
  const keys: SeedKeys = {
    noise: hash.subarray(0, 16),
    tail: [hash.readUInt32LE(16), hash.readUInt32LE(20)],
    states: new Map(),
  };
  forgetOldest(seedKeys);
  seedKeys.set(seed, keys);
  return keys;
}

function forgetOldest<K>(kept: Map<K, unknown>): void {
  if (kept.size < KEPT_STATES) return;
  const oldest = kept.keys().next();
  if (oldest.done !== true) kept.delete(oldest.value);
}

// Not a hash: a listing needs a thousand tails a page. An odd factor and shifts map the numbers below
// 2^32 onto themselves one to one (the finaliser of MurmurHash3), so no two tails begin alike.
function mix(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function tailOf(content: SeededContent): Buffer {
  const [first, second] = keysOf(content.seed).tail;
  const tail = Buffer.allocUnsafe(TAIL_BYTES);
  tail.writeUInt32LE(mix(content.index ^ first), 0);
  tail.writeUInt32LE(mix(content.index ^ second), 4);
  return tail.subarray(0, Math.min(TAIL_BYTES, content.sizeBytes));
}

function commonBytes(content: SeededContent): number {
  return Math.max(0, content.sizeBytes - TAIL_BYTES);
}

/** AES in counter mode as a stream of noise that can be entered anywhere. */
function* noise(seed: string, start: number, end: number): Generator<Buffer> {
  const counter = Buffer.alloc(16);
  counter.writeBigUInt64BE(BigInt(Math.floor(start / 16)), 8);
  const cipher = createCipheriv('aes-128-ctr', keysOf(seed).noise, counter);
  cipher.update(ZEROS.subarray(0, start % 16));
  for (let at = start; at < end; at += BLOCK_BYTES) {
    yield cipher.update(ZEROS.subarray(0, Math.min(BLOCK_BYTES, end - at)));
  }
}

/** The bytes from `start` up to, not including, `end`. */
export function* readSeeded(content: SeededContent, start: number, end: number): Generator<Buffer> {
  const common = commonBytes(content);
  yield* noise(content.seed, start, Math.min(end, common));
  if (end > common) yield tailOf(content).subarray(Math.max(0, start - common), end - common);
}

/**
 * The ETag, without quotes. Up to {@link TRUE_MD5_LIMIT_BYTES} it is the MD5 of the bytes; the first
 * object of a seed and size costs hashing them once.
 */
export function seededEtag(content: SeededContent): string {
  if (content.sizeBytes > TRUE_MD5_LIMIT_BYTES) {
    const text = `${content.seed}\0${content.index}\0${content.sizeBytes}`;
    return createHash('md5').update(text).digest('hex') + partsSuffix(content.sizeBytes);
  }
  return stateBeforeTail(content).copy().update(tailOf(content)).digest('hex');
}

/** How the ETag of that many seeded bytes ends: nothing, or the number of parts. */
export function partsSuffix(sizeBytes: number): string {
  return sizeBytes > TRUE_MD5_LIMIT_BYTES ? `-${Math.ceil(sizeBytes / NOMINAL_PART_BYTES)}` : '';
}

function stateBeforeTail(content: SeededContent): Hash {
  const { states } = keysOf(content.seed);
  const known = states.get(content.sizeBytes);
  if (known !== undefined) return known;
  const state = createHash('md5');
  for (const block of noise(content.seed, 0, commonBytes(content))) state.update(block);
  forgetOldest(states);
  states.set(content.sizeBytes, state);
  return state;
}
