import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

import { percentDecode, type WireRequest } from '../wire/request.ts';

/**
 * SigV4 as written down in "Authenticating Requests (AWS Signature Version 4)" of the Amazon S3 API
 * Reference. All strings in here are byte strings (latin1): a header may hold any byte.
 */

/** SHA-256 in hex. */
export function sha256(content: string | Buffer): string {
  const hash = createHash('sha256');
  return (
    typeof content === 'string' ? hash.update(content, 'latin1') : hash.update(content)
  ).digest('hex');
}

/** URI-encodes a byte string by SigV4's rules. */
function uriEncode(bytes: string, reserved = /[^A-Za-z0-9\-._~]/g): string {
  return bytes.replace(
    reserved,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * The canonical request. The path is decoded and encoded once, never normalised: S3 signs keys with
 * `//`, `.` and `..` as they are. The caller refuses a missing signed header.
 */
export function canonicalRequest(
  request: Pick<WireRequest, 'method' | 'rawPath' | 'query' | 'headers'>,
  signedHeaders: readonly string[],
  payloadHash: string,
): string {
  const query = request.query.pairs
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [uriEncode(name), uriEncode(value)] as const)
    .sort(([nameA, valueA], [nameB, valueB]) => compare(nameA, nameB) || compare(valueA, valueB))
    .map(([name, value]) => `${name}=${value}`);
  const headers = signedHeaders.map((name) => {
    const value = request.headers.get(name) ?? '';
    // ASCII blanks only: 0xA0, which `trim` would remove, is half of an `à` in these byte strings.
    return `${name}:${value.replace(/[ \t]+/g, ' ').replace(/^ | $/g, '')}\n`;
  });
  return [
    request.method,
    uriEncode(percentDecode(request.rawPath), /[^A-Za-z0-9\-._~/]/g),
    query.join('&'),
    headers.join(''),
    signedHeaders.join(';'),
    payloadHash,
  ].join('\n');
}

/** The string that is signed for a whole request. */
export function stringToSign(timestamp: string, scope: string, canonical: string): string {
  return ['AWS4-HMAC-SHA256', timestamp, scope, sha256(canonical)].join('\n');
}

/** The key that is derived from a secret for a scope. */
export function signingKey(secret: string, scope: string): Buffer {
  return scope
    .split('/')
    .reduce<Buffer>(
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
