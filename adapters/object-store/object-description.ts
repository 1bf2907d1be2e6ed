import { isPlainMd5 } from '../../domain/migrations/copying.ts';
import type { NotCarried } from '../../domain/migrations/object-ledger.ts';

/**
 * The headers that are copied with an object: content-type, content-encoding (without
 * `aws-chunked`), content-language, content-disposition, cache-control, expires,
 * x-amz-website-redirect-location and x-amz-meta-*. Lower-case names; values are latin1, one
 * character per byte.
 */
export type ObjectHeaders = Readonly<Record<string, string>>;

/** An object without its bytes. */
export interface ObjectDescription {
  readonly sizeBytes: number;
  /** Without its quotes, and without the mark of a weak one. */
  readonly etag: string;
  /**
   * The MD5 of the bytes in lower-case hex, if the ETag is one. Under SSE-KMS, DSSE-KMS and SSE-C
   * an ETag has the same form and is none. Source: Object, "ETag", Amazon S3 API Reference.
   */
  readonly md5: string | null;
  /** Encrypted with a key of KMS or the customer: the ETag says nothing of the bytes. */
  readonly isOpaque: boolean;
  /** As `toISOString()` writes it; whole seconds, for the header has no more. */
  readonly lastModified: string;
  readonly headers: ObjectHeaders;
  /** What it has besides bytes and headers, as far as the credentials may read it. */
  readonly notCarried: readonly NotCarried[];
  readonly storageClass: string;
}

/** An object or a part as the answer to its write shows it. */
export type WrittenObject = Pick<ObjectDescription, 'etag' | 'isOpaque'>;

/** A description, and the range of the object that the response contains. */
export interface DescribedResponse extends ObjectDescription {
  /** The length of the response body, as announced. */
  readonly bodyBytes: number;
  /** The offset of its first byte in the object. */
  readonly firstByte: number;
}

const COPIED: ReadonlySet<string> = new Set([
  'content-type',
  'content-language',
  'content-disposition',
  'cache-control',
  'expires',
  'x-amz-website-redirect-location',
]);
const METADATA = 'x-amz-meta-';
const SSE = 'x-amz-server-side-encryption';
const SSE_CUSTOMER = 'x-amz-server-side-encryption-customer-algorithm';
const CONTENT_RANGE = /^bytes (\d+)-\d+\/(\d+|\*)$/;

/** Reads the headers of a HEAD or GET. Sizes that were not announced are NaN. */
export function readDescription(rawHeaders: readonly string[]): DescribedResponse {
  const headers: Record<string, string> = {};
  const notCarried: NotCarried[] = [];
  let bodyBytes = Number.NaN;
  let range: RegExpExecArray | null = null;
  let etag = '';
  let lastModified = '';
  let storageClass = 'STANDARD';
  let isLocked = false;
  let isOpaque = false;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    if (name.startsWith(METADATA) || COPIED.has(name)) addHeader(headers, name, value);
    else {
      switch (name) {
        case 'content-encoding':
          addEncoding(headers, value);
          break;
        case 'content-length':
          bodyBytes = Number(value);
          break;
        case 'content-range':
          range = CONTENT_RANGE.exec(value);
          break;
        case 'etag':
          etag = unquotedEtag(value);
          break;
        case 'last-modified':
          lastModified = isoTime(value);
          break;
        case SSE:
        case SSE_CUSTOMER:
          isOpaque ||= isOpaqueEncryption(name, value);
          break;
        case 'x-amz-storage-class':
          storageClass = value;
          break;
        case 'x-amz-tagging-count':
          if (Number(value) > 0) notCarried.push('tags');
          break;
        // The number of entries that have no form as a header. Source: GetObject, Amazon S3 API
        // Reference.
        case 'x-amz-missing-meta':
          if (Number(value) > 0) notCarried.push('metadata');
          break;
        case 'x-amz-object-lock-mode':
          isLocked = true;
          break;
        case 'x-amz-object-lock-legal-hold':
          isLocked ||= value.toUpperCase() === 'ON';
          break;
        default:
      }
    }
  }
  if (isLocked) notCarried.push('lock');
  const [firstByte, sizeBytes] = range ? [Number(range[1]), Number(range[2])] : [0, bodyBytes];
  return {
    sizeBytes,
    etag,
    md5: !isOpaque && isPlainMd5(etag) ? etag : null,
    isOpaque,
    lastModified,
    headers,
    notCarried,
    storageClass,
    bodyBytes,
    firstByte,
  };
}

/** What the answer to a write says of the object or part. */
export function readWritten(rawHeaders: readonly string[]): WrittenObject {
  let etag = '';
  let isOpaque = false;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    if (name === 'etag') etag = unquotedEtag(value);
    isOpaque ||= isOpaqueEncryption(name, value);
  }
  return { etag, isOpaque };
}

/** S3's own keys leave the ETag an MD5; those of KMS and of the customer do not. */
function isOpaqueEncryption(name: string, value: string): boolean {
  return name === SSE_CUSTOMER || (name === SSE && value !== 'AES256');
}

/** RFC 9110 section 5.2: a header that occurs twice is one list. */
function addHeader(headers: Record<string, string>, name: string, value: string): void {
  const earlier = headers[name];
  headers[name] = earlier === undefined ? value : `${earlier}, ${value}`;
}

/** `aws-chunked` is an encoding of the upload, not of the object. */
function addEncoding(headers: Record<string, string>, value: string): void {
  const isChunked = /\baws-chunked\b/i.test(value);
  const kept = isChunked
    ? value
        .split(',')
        .map((coding) => coding.trim())
        .filter((coding) => coding !== '' && coding.toLowerCase() !== 'aws-chunked')
        .join(',')
    : value;
  if (kept !== '') addHeader(headers, 'content-encoding', kept);
}

const QUOTED_ETAG = /^(?:W\/)?"(.*)"$/;

/** The opaque part of an ETag: without its quotes, and without the mark of a weak one. */
export function unquotedEtag(value: string): string {
  return QUOTED_ETAG.exec(value)?.[1] ?? value;
}

/** A time as `toISOString()` writes it; 1970 for an unreadable one. */
export function isoTime(value: string): string {
  const time = Date.parse(value);
  return Number.isNaN(time) ? new Date(0).toISOString() : new Date(time).toISOString();
}
