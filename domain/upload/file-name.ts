import { UPLOADS_PREFIX } from '../common/file-keys.ts';

const MAX_SAFE_NAME_BYTES = 128;

/** The last part of a path, with either separator. */
export function baseName(fileName: string): string {
  return fileName.split(/[/\\]/).at(-1) ?? '';
}

/**
 * The part of an object key that stands for the customer's file name: ASCII letters, digits, `.`,
 * `_` and `-` stay, every other character becomes `_`, leading dots go, at most 128 bytes.
 *
 * | file name       | safe name    |
 * |-----------------|--------------|
 * | `a b.png`       | `a_b.png`    |
 * | `x/../y.png`    | `y.png`      |
 * | `.env`          | `env`        |
 * | `日本.txt`      | `__.txt`     |
 * | `..`, `dir/`    | `file`       |
 */
export function safeFileName(fileName: string): string {
  const safe = baseName(fileName.normalize('NFC'))
    .replace(/[^A-Za-z0-9._-]/gu, '_')
    .replace(/^\.+/, '')
    .slice(0, MAX_SAFE_NAME_BYTES);
  return safe === '' ? 'file' : safe;
}

/** The object key of a file in the customer's bucket. The id makes it unguessable and unique. */
export function uploadKey(fileId: string, fileName: string): string {
  return `${UPLOADS_PREFIX}${fileId}/${safeFileName(fileName)}`;
}
