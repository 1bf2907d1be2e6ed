import { createHash } from 'node:crypto';
import type { ProviderName } from '../providers/catalogue.ts';

/** Objects up to this size are buffered before the PUT, so that it can carry their MD5. */
export const BUFFERED_BYTES = 8 * 2 ** 20;
const MAX_KEY_BYTES = 1_024;

/** Whether an ETag looks like an MD5. It is none under encryption by KMS or by the customer. */
export function isPlainMd5(etag: string): boolean {
  return /^[0-9a-f]{32}$/.test(etag);
}

/** The ETag of an object that was written in parts: the MD5 of their MD5s, and their number. */
export function multipartEtag(md5s: readonly Buffer[]): string {
  const hash = createHash('md5');
  for (const md5 of md5s) hash.update(md5);
  return `${hash.digest('hex')}-${md5s.length}`;
}

/**
 * Whether two objects of one size are equal, as far as their ETags tell; undefined: they do not.
 *
 * | both ETags                                                     | answer               |
 * | -------------------------------------------------------------- | -------------------- |
 * | an MD5                                                         | whether they are one |
 * | of an upload in parts, with the same number, neither encrypted | whether they are one |
 * | any others                                                     | undefined            |
 */
export function isSameByEtags(source: EtagOf, target: EtagOf): boolean | undefined {
  if (source.md5 !== null && target.md5 !== null) return source.md5 === target.md5;
  const parts = partCount(source);
  if (parts === undefined || parts !== partCount(target)) return undefined;
  return source.etag === target.etag;
}

/** An ETag, and what it says of the bytes. */
export interface EtagOf {
  readonly etag: string;
  /** Null if the ETag is no MD5 of the bytes. */
  readonly md5: string | null;
  /** Encrypted with a key of KMS or the customer: the ETag says nothing of the bytes. */
  readonly isOpaque: boolean;
}

/** The number of parts that an ETag names; undefined if it names none. */
function partCount({ etag, isOpaque }: EtagOf): string | undefined {
  return isOpaque ? undefined : /^[0-9a-f]{32}-(\d+)$/.exec(etag)?.[1];
}

/** What the keys at the target begin with, unless an approval names another prefix. */
export function defaultKeyPrefix(bucketName: string): string {
  return `${bucketName}/`;
}

/** The same where the default place belongs to a bucket of that name at another store. */
export function secondKeyPrefix(provider: ProviderName, bucketName: string): string {
  return `${provider}-${bucketName}/`;
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
