import { partsSuffix, seededEtag, type SeededContent } from './seeded.ts';
import { DEFAULT_ATTRIBUTES, type ObjectVersion } from './version.ts';

/** Many objects by one description: none of them is stored. */
export interface GeneratedSpec {
  readonly count: number;
  /**
   * The key of object `i`: `{i}` its number, `{i:8}` padded with zeros, `{i/1000}` divided and
   * floored, `{i%16:2}` the rest.
   */
  readonly keyPattern: string;
  /** Bytes of each; a list is taken in turn. Default 0. */
  readonly size?: number | readonly number[];
  /** ISO 8601; a range is spread over evenly in the order of the numbers. Default: now. */
  readonly lastModified?: string | { readonly from: string; readonly to: string };
  /** A list is taken in turn. */
  readonly storageClass?: string | readonly string[];
  readonly contentType?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

const PLACEHOLDER = /\{i(?:([/%])([1-9][0-9]*))?(?::([1-9][0-9]?))?\}/g;
const DIGEST_BYTES = 16;

/** Calls back with each key, and a function that makes its object. */
export function generateObjects(
  spec: GeneratedSpec,
  nowMs: number,
  add: (key: string, make: () => ObjectVersion) => void,
): void {
  const makeKey = compilePattern(spec.keyPattern);
  const makeVersion = compileVersion(spec, nowMs);
  for (let index = 0; index < spec.count; index += 1) add(makeKey(index), () => makeVersion(index));
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

function compileVersion(spec: GeneratedSpec, nowMs: number): (index: number) => ObjectVersion {
  const sizes = [spec.size ?? 0].flat();
  const classes = [spec.storageClass ?? 'STANDARD'].flat();
  const { contentType = 'binary/octet-stream', metadata = {}, keyPattern: seed } = spec;
  const headers = { 'content-type': contentType };
  const readDate = compileDate(spec, nowMs);
  const readDigest = createDigests(spec.count);
  return (index) => {
    const sizeBytes = sizes[index % sizes.length] ?? 0;
    const body = { kind: 'seeded', seed, index, sizeBytes } as const;
    // Every field by name: a page has a thousand of these, and a spread costs more than all of them.
    return {
      versionId: 'null',
      isDeleteMarker: false,
      lastModifiedMs: readDate(index),
      etag: readDigest(body),
      body,
      storageClass: classes[index % classes.length] ?? 'STANDARD',
      headers,
      metadata,
      encryption: DEFAULT_ATTRIBUTES.encryption,
      tags: DEFAULT_ATTRIBUTES.tags,
      checksum: null,
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

function compileDate(
  { lastModified, count }: GeneratedSpec,
  nowMs: number,
): (index: number) => number {
  if (lastModified === undefined || typeof lastModified === 'string') {
    const ms = parseDate(lastModified, nowMs);
    return () => ms;
  }
  const from = parseDate(lastModified.from, nowMs);
  const step = (parseDate(lastModified.to, nowMs) - from) / Math.max(count - 1, 1);
  return (index) => Math.round(from + step * index);
}

/** Milliseconds of an ISO 8601 date; `nowMs` without one. @throws TypeError */
export function parseDate(text: string | undefined, nowMs: number): number {
  const ms = text === undefined ? nowMs : Date.parse(text);
  if (Number.isNaN(ms)) throw new TypeError(`${text} is not a date`);
  return ms;
}
