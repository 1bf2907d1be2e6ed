import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

import { percentDecode, type Query } from '../wire/query.ts';

/**
 * SigV4 as written down in "Authenticating Requests (AWS Signature Version 4)" of the Amazon S3 API
 * Reference. All strings in here are byte strings (latin1): a header may hold any byte.
 */
export interface CanonicalInput {
  readonly method: string;
  readonly rawPath: string;
  readonly query: Query;
  readonly headers: ReadonlyMap<string, string>;
  readonly signedHeaders: readonly string[];
  readonly payloadHash: string;
}

/** SHA-256 of nothing. */
export const EMPTY_SHA256 = createHash('sha256').digest('hex');

const UNRESERVED = /[^A-Za-z0-9\-._~]/g;
const UNRESERVED_AND_SLASH = /[^A-Za-z0-9\-._~/]/g;

function percentEncode(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/** URI-encodes a byte string by SigV4's rules. */
function uriEncode(bytes: string, keepSlash: boolean): string {
  return bytes.replace(keepSlash ? UNRESERVED_AND_SLASH : UNRESERVED, percentEncode);
}

function canonicalQuery(query: Query): string {
  return query.pairs
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [uriEncode(name, false), uriEncode(value, false)] as const)
    .sort(([nameA, valueA], [nameB, valueB]) => compare(nameA, nameB) || compare(valueA, valueB))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * The canonical request. The path is decoded and encoded once, never normalised: S3 signs keys with
 * `//`, `.` and `..` as they are. The caller refuses a missing signed header.
 */
export function canonicalRequest(input: CanonicalInput): string {
  const headers = input.signedHeaders.map((name) => {
    const value = input.headers.get(name) ?? '';
    // ASCII blanks only: 0xA0, which `trim` would remove, is half of an `à` in these byte strings.
    return `${name}:${value.replace(/[ \t]+/g, ' ').replace(/^ | $/g, '')}\n`;
  });
  return [
    input.method,
    uriEncode(percentDecode(input.rawPath), true),
    canonicalQuery(input.query),
    headers.join(''),
    input.signedHeaders.join(';'),
    input.payloadHash,
  ].join('\n');
}

/** The string that is signed for a whole request. */
export function stringToSign(timestamp: string, scope: string, canonical: string): string {
  const hash = createHash('sha256').update(canonical, 'latin1').digest('hex');
  return ['AWS4-HMAC-SHA256', timestamp, scope, hash].join('\n');
}

/** The key derived from a secret for one day, region and service. */
export function signingKey(secret: string, date: string, region: string, service: string): Buffer {
  return [date, region, service, 'aws4_request'].reduce<Buffer>(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    Buffer.from(`AWS4${secret}`),
  );
}

/** HMAC-SHA256 in hex. */
export function sign(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text, 'latin1').digest('hex');
}

/** Compares two signatures in constant time. */
export function sameSignature(expected: string, given: string): boolean {
  const a = Buffer.from(expected, 'latin1');
  const b = Buffer.from(given, 'latin1');
  return a.length === b.length && timingSafeEqual(a, b);
}
