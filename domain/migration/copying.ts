import { createHash } from 'node:crypto';
import type { ManifestEntry } from './object-ledger.ts';

/** Objects up to this size are buffered before the PUT, so that it can carry their MD5. */
export const BUFFERED_BYTES = 8 * 2 ** 20;
const MAX_KEY_BYTES = 1_024;

const SOURCE_ETAG_HEADER = 'x-amz-meta-src-etag';
const SOURCE_LAST_MODIFIED_HEADER = 'x-amz-meta-src-last-modified';
const MIGRATION_ID_HEADER = 'x-amz-meta-migration-id';

/** Whether an ETag has the form of an MD5. It is none if the object is encrypted with a key of KMS or the customer. */
export function isPlainMd5(etag: string): boolean {
  return /^[0-9a-f]{32}$/.test(etag);
}

/** The ETag of an object that was written in parts: the MD5 of their MD5s, and their number. */
export function multipartEtag(md5s: readonly Buffer[]): string {
  const hash = createHash('md5');
  for (const md5 of md5s) hash.update(md5);
  return `${hash.digest('hex')}-${md5s.length}`;
}

/** The object at the target under the same key. */
export interface FoundAtTarget {
  readonly sizeBytes: number;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Whether the target already holds the object.
 *
 * | size  | both ETags the same plain MD5 | `src-etag` is the listed ETag | equal |
 * | ----- | ----------------------------- | ----------------------------- | ----- |
 * | other | any                           | any                           | no    |
 * | same  | yes                           | any                           | yes   |
 * | same  | no                            | yes                           | yes   |
 * | same  | no                            | no                            | no    |
 */
export function isEqualBefore(
  entry: Pick<ManifestEntry, 'sizeBytes' | 'etag'>,
  found: FoundAtTarget,
): boolean {
  if (found.sizeBytes !== entry.sizeBytes) return false;
  if (isPlainMd5(entry.etag) && found.etag === entry.etag) return true;
  return entry.etag !== '' && found.headers[SOURCE_ETAG_HEADER] === entry.etag;
}

/** The migration that wrote an object, and of which source object; undefined if none did. */
export function readOrigin(
  headers: Readonly<Record<string, string>>,
): { readonly migrationId: string; readonly sourceEtag: string } | undefined {
  const migrationId = headers[MIGRATION_ID_HEADER];
  const sourceEtag = headers[SOURCE_ETAG_HEADER];
  return migrationId === undefined || sourceEtag === undefined
    ? undefined
    : { migrationId, sourceEtag };
}

/** What the keys at the target begin with, unless an approval names another prefix. */
export function defaultKeyPrefix(bucketName: string): string {
  return `${bucketName}/`;
}

/** The key of an object at the target. */
export function toTargetKey(keyPrefix: string, key: string): string {
  return `${keyPrefix}${key}`;
}

/** The longest key at the source, in bytes, that fits at the target below the default prefix. */
export function maxSourceKeyBytes(bucketName: string): number {
  return MAX_KEY_BYTES - Buffer.byteLength(defaultKeyPrefix(bucketName));
}

/** S3's limit is in bytes, not in characters. Source: "Naming Amazon S3 objects". */
export function isKeyTooLong(key: string): boolean {
  return Buffer.byteLength(key) > MAX_KEY_BYTES;
}

/** The source's own headers and the object's origin. */
export function headersFor(
  source: {
    readonly headers: Readonly<Record<string, string>>;
    readonly etag: string;
    /** As `toISOString()` writes it. */
    readonly lastModified: string;
  },
  migrationId: string,
): Record<string, string> {
  return {
    ...source.headers,
    [SOURCE_ETAG_HEADER]: source.etag,
    [SOURCE_LAST_MODIFIED_HEADER]: source.lastModified,
    [MIGRATION_ID_HEADER]: migrationId,
  };
}
