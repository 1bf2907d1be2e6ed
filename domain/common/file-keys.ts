/** The prefix of the object keys of all files. */
export const UPLOADS_PREFIX = 'uploads/';

/** Without counted repetitions, which take longer: a scan tests each key below the prefix. */
const UUID = [8, 4, 4, 4, 12].map((digits) => '[0-9a-f]'.repeat(digits)).join('-');
const FILE_KEY = new RegExp(`^${UPLOADS_PREFIX}${UUID}/`);

/** The file of an object key. */
export function fileIdOf(objectKey: string): string {
  return objectKey.slice(UPLOADS_PREFIX.length, objectKey.indexOf('/', UPLOADS_PREFIX.length));
}

/** The keys below `UPLOADS_PREFIX`: none, only those of files, or also others. */
export type UploadKeys = 'none' | 'files' | 'others';

export function uploadKeysOf(key: string): UploadKeys {
  if (!key.startsWith(UPLOADS_PREFIX)) return 'none';
  return FILE_KEY.test(key) ? 'files' : 'others';
}

/**
 * |          | `none`   | `files`  | `others` |
 * |----------|----------|----------|----------|
 * | `none`   | `none`   | `files`  | `others` |
 * | `files`  | `files`  | `files`  | `others` |
 * | `others` | `others` | `others` | `others` |
 */
export function joinUploadKeys(some: UploadKeys, more: UploadKeys): UploadKeys {
  if (some === more || more === 'none') return some;
  return some === 'none' ? more : 'others';
}
