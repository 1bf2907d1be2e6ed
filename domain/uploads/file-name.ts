import { UPLOADS_PREFIX } from '../common/file-keys.ts';

const MAX_SAFE_NAME_BYTES = 128;
/** A URL holds a download's name twice, at three or five characters a byte: stores take some KB. */
const MAX_DOWNLOAD_NAME_BYTES = 200;
/** A longer ending is no extension. */
const MAX_EXTENSION_BYTES = 32;

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

/**
 * The name under which a download is saved: the base name, at most 200 bytes of UTF-8. A longer one
 * loses characters in front of its extension.
 */
export function downloadName(fileName: string): string {
  const name = baseName(fileName) || 'file';
  if (Buffer.byteLength(name) <= MAX_DOWNLOAD_NAME_BYTES) return name;
  const ending = /(?<=.)\.[^.]+$/su.exec(name)?.[0] ?? '';
  const extension = Buffer.byteLength(ending) <= MAX_EXTENSION_BYTES ? ending : '';
  return beginning(name, MAX_DOWNLOAD_NAME_BYTES - Buffer.byteLength(extension)) + extension;
}

/** As many whole characters as fit. */
function beginning(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** The object key of a file in the customer's bucket. The id makes it unguessable and unique. */
export function uploadKey(fileId: string, fileName: string): string {
  return `${UPLOADS_PREFIX}${fileId}/${safeFileName(fileName)}`;
}
