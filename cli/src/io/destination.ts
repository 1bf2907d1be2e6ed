import { replaceUnshowable } from '@storage-routing/client';
import { randomUUID } from 'node:crypto';
import { link, lstat, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LocalError } from './failure.ts';

/** Fits every common file system, with space for the suffix of a temporary name. */
const LONGEST_NAME_BYTES = 200;

/**
 * Turns a foreign name into a file name in one folder: its last path segment, without characters
 * that a file system or a terminal interprets, and never hidden.
 *
 * | name | becomes |
 * |---|---|
 * | `../../etc/passwd`, `C:\passwd` | `passwd` |
 * | `.bashrc` | `_bashrc` |
 * | `a\u0000b:c` | `a_b_c` |
 * | empty, `..` | the fallback |
 */
export function safeName(name: string, otherwise: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const plain = replaceUnshowable(last, () => '_')
    .replaceAll(/[<>:"|?*]/g, '_')
    .replace(/^\.(?!\.*$)/, '_')
    .replace(/[. ]+$/, '')
    // Reserved device names on Windows, with any extension.
    .replace(/^(?=(con|prn|aux|nul|com\d|lpt\d)(\.|$))/i, '_');
  if (plain === '') return otherwise;
  return cutTo(plain, LONGEST_NAME_BYTES);
}

/** The longest prefix within the limit that splits no character. */
function cutTo(text: string, mostBytes: number): string {
  let kept = '';
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > mostBytes) break;
    kept += character;
  }
  return kept;
}

/** Does the path name an existing folder? */
export async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

/** Called before the download, and again when the file is moved to its final name. */
export async function checkFree(path: string, mayOverwrite: boolean): Promise<void> {
  const entry = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (entry === undefined) return;
  if (!mayOverwrite) throw exists(path);
  if (entry.isFile() || entry.isSymbolicLink()) return;
  throw new LocalError('not_a_regular_file', `${path} is no file that could be replaced`);
}

/**
 * Writes to a temporary name in the same folder and renames it once complete, so no reader sees a
 * partial file.
 *
 * @throws LocalError `file_exists` if a file has appeared at the path and may not be replaced.
 */
export async function writeWhole(
  path: string,
  mayOverwrite: boolean,
  pieces: AsyncIterable<Uint8Array | string>,
): Promise<void> {
  await checkFree(path, mayOverwrite);
  // Fails with the folder's name, and not with a temporary one.
  await stat(dirname(path));
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}.part`);
  const file = await open(temporary, 'wx');
  try {
    try {
      for await (const piece of pieces) await file.appendFile(piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await putInPlace(temporary, path, mayOverwrite);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function putInPlace(from: string, path: string, mayOverwrite: boolean): Promise<void> {
  if (mayOverwrite) return await rename(from, path);
  try {
    // Unlike a rename, a link fails if the path exists.
    await link(from, path);
    await rm(from);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw exists(path);
    // Some file systems do not support links: check, then rename.
    await checkFree(path, false);
    await rename(from, path);
  }
}

function exists(path: string): LocalError {
  return new LocalError('file_exists', `${path} is there already: --force replaces it`);
}
