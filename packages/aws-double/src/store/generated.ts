import { cursorOver, type KeyCursor } from './cursor.ts';
import { compareUtf8, firstPosition } from './order.ts';
import { partsSuffix, seededEtag, type SeededContent } from './seeded.ts';
import type { ObjectVersion } from './version.ts';

/** Many objects by one description: none of them is stored. */
export interface GeneratedSpec {
  readonly count: number;
  /**
   * The key of object `i`: `{i}` its number, `{i:8}` padded with zeros, `{i/1000}` divided and
   * floored, `{i%16:2}` the rest. Must give `count` different keys.
   */
  readonly keyPattern: string;
  /** Bytes of each; a list is taken in turn, a range is spread over evenly (at most 1,024 sizes). */
  readonly size?: number | readonly number[] | { readonly from: number; readonly to: number };
  /** ISO 8601; a range is spread over evenly in the order of the numbers. Default: now. */
  readonly lastModified?: string | { readonly from: string; readonly to: string };
  /** A list is taken in turn. */
  readonly storageClass?: string | readonly string[];
  readonly contentType?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Bytes depend on it and on the number. Default: the pattern. */
  readonly seed?: string;
}

/** A family of objects in the order of their keys. */
export interface GeneratedRange {
  readonly count: number;
  cursor(): KeyCursor;
  /** The object of that key. */
  find(key: string): ObjectVersion | undefined;
}

const PLACEHOLDER = /\{i(?:([/%])([1-9][0-9]*))?(?::([1-9][0-9]?))?\}/g;
const MAX_SIZES = 1024;
const DIGEST_BYTES = 16;

/** Prepares a range. Keys that do not come in order are sorted once, and only their order is kept. */
export function createGeneratedRange(spec: GeneratedSpec, nowMs: number): GeneratedRange {
  const keyOf = compilePattern(spec.keyPattern);
  const order = sortedOrder(spec.count, keyOf);
  const indexAt = (position: number): number =>
    order === null ? position : (order[position] ?? 0);
  const keyAt = (position: number): string => keyOf(indexAt(position));
  const versionOf = compileVersion(spec, nowMs);
  return {
    count: spec.count,
    cursor: () =>
      cursorOver({
        count: spec.count,
        keyAt,
        versionsAt: (position) => [versionOf(indexAt(position))],
      }),
    find(key) {
      const position = firstPosition(spec.count, (at) => compareUtf8(keyAt(at), key) >= 0);
      if (position >= spec.count || keyAt(position) !== key) return undefined;
      return versionOf(indexAt(position));
    },
  };
}

function compilePattern(pattern: string): (index: number) => string {
  const pieces: ((index: number) => string)[] = [];
  let position = 0;
  for (const match of pattern.matchAll(PLACEHOLDER)) {
    const literal = pattern.slice(position, match.index);
    position = match.index + match[0].length;
    const [, operation, operand = '1', width = '0'] = match;
    const by = Number(operand);
    pieces.push((index) => {
      const value = operation === '%' ? index % by : Math.floor(index / by);
      return literal + String(value).padStart(Number(width), '0');
    });
  }
  const rest = pattern.slice(position);
  return (index) => pieces.reduce((key, piece) => key + piece(index), '') + rest;
}

function sortedOrder(count: number, keyOf: (index: number) => string): Uint32Array | null {
  let inOrder = true;
  let previous = '';
  for (let index = 0; index < count && inOrder; index += 1) {
    const key = keyOf(index);
    inOrder = index === 0 || compareUtf8(previous, key) < 0;
    previous = key;
  }
  if (inOrder) return null;
  const keys = Array.from({ length: count }, (_unused, index) => keyOf(index));
  const order = Uint32Array.from({ length: count }, (_unused, index) => index);
  order.sort((a, b) => compareUtf8(keys[a] ?? '', keys[b] ?? ''));
  for (let at = 1; at < count; at += 1) {
    const key = keys[order[at] ?? 0];
    if (key === keys[order[at - 1] ?? 0]) throw new TypeError(`keyPattern repeats the key ${key}`);
  }
  return order;
}

function compileVersion(spec: GeneratedSpec, nowMs: number): (index: number) => ObjectVersion {
  const sizeOf = compileSize(spec);
  const dateOf = compileDate(spec, nowMs);
  const classes = typeof spec.storageClass === 'string' ? [spec.storageClass] : spec.storageClass;
  const headers = { 'content-type': spec.contentType ?? 'binary/octet-stream' };
  const seed = spec.seed ?? spec.keyPattern;
  const digestOf = createDigests(spec.count);
  return (index) => {
    const content = { seed, index, sizeBytes: sizeOf(index) };
    return {
      versionId: 'null',
      deleteMarker: false,
      lastModifiedMs: dateOf(index),
      sizeBytes: content.sizeBytes,
      etag: digestOf(content),
      body: { kind: 'seeded', ...content },
      storageClass: classes?.[index % classes.length] ?? 'STANDARD',
      headers,
      metadata: spec.metadata ?? {},
      encryption: 'AES256',
      checksum: null,
      tags: [],
    };
  };
}

/** The ETags of a family, each computed once: a listing's most expensive part, kept in 16 bytes each. */
function createDigests(count: number): (content: SeededContent) => string {
  const digests = Buffer.alloc(count * DIGEST_BYTES);
  const isKnown = new Uint8Array(count);
  return (content) => {
    const from = content.index * DIGEST_BYTES;
    if (isKnown[content.index] === 1) {
      return digests.toString('hex', from, from + DIGEST_BYTES) + partsSuffix(content.sizeBytes);
    }
    const etag = seededEtag(content);
    digests.write(etag.slice(0, 2 * DIGEST_BYTES), from, 'hex');
    isKnown[content.index] = 1;
    return etag;
  };
}

function compileSize(spec: GeneratedSpec): (index: number) => number {
  const size = spec.size ?? 0;
  if (typeof size === 'number') return () => size;
  if ('from' in size) {
    const steps = Math.min(spec.count, MAX_SIZES);
    const step = steps > 1 ? (size.to - size.from) / (steps - 1) : 0;
    return (index) => Math.round(size.from + step * (index % steps));
  }
  return (index) => size[index % size.length] ?? 0;
}

function compileDate(spec: GeneratedSpec, nowMs: number): (index: number) => number {
  const date = spec.lastModified;
  if (date === undefined) return () => nowMs;
  const from = parseDate(typeof date === 'string' ? date : date.from);
  if (typeof date === 'string') return () => from;
  const step = spec.count > 1 ? (parseDate(date.to) - from) / (spec.count - 1) : 0;
  return (index) => Math.round(from + step * index);
}

function parseDate(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new TypeError(`${text} is not a date`);
  return ms;
}
