import { randomUUID } from 'node:crypto';
import { link, lstat, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LocalError } from './failure.ts';

/** Enough for any file system, and room for what a temporary name adds. */
const LONGEST_NAME_BYTES = 200;

/**
 * A name that somebody else chose, as the name of a file in one folder and nowhere else: the last part of it, without
 * what has a meaning to a file system or a terminal, and never hidden.
 *
 * | name | becomes |
 * |---|---|
 * | `../../etc/passwd`, `C:\passwd` | `passwd` |
 * | `.bashrc` | `_bashrc` |
 * | `a\u0000b:c` | `a_b_c` |
 * | empty, `..` | the other name |
 */
export function safeName(name: string, otherwise: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const plain = last
    .replaceAll(/[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069<>:"|?*]/gu, '_')
    .replace(/^\.(?!\.*$)/, '_')
    .replace(/[. ]+$/, '')
    // Devices, on Windows, whatever stands behind the point.
    .replace(/^(?=(con|prn|aux|nul|com\d|lpt\d)(\.|$))/i, '_');
  if (plain === '') return otherwise;
  return cutTo(plain, LONGEST_NAME_BYTES);
}

/** The first characters that fit, none of them in half. */
function cutTo(text: string, mostBytes: number): string {
  let kept = '';
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > mostBytes) break;
    kept += character;
  }
  return kept;
}

/** Does the path lead to a folder that is there? */
export async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Refused before anything is fetched, and once more when the file is put in its place. */
export async function checkFree(path: string, mayOverwrite: boolean): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!mayOverwrite) throw exists(path);
  if (found.isFile() || found.isSymbolicLink()) return;
  throw new LocalError('not_a_regular_file', `${path} is no file that could be replaced`);
}

/**
 * Writes to a name beside the path, and puts it there once it is whole: nobody ever sees half a file.
 *
 * @throws LocalError `file_exists` where something has come to be there meanwhile and may not be replaced.
 */
export async function writeWhole(
  path: string,
  mayOverwrite: boolean,
  pieces: AsyncIterable<Uint8Array | string>,
): Promise<void> {
  await checkFree(path, mayOverwrite);
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
    // Unlike a rename, a link fails where something is there.
    await link(from, path);
    await rm(from);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw exists(path);
    // Some file systems know no links: look, then rename.
    await checkFree(path, false);
    await rename(from, path);
  }
}

function exists(path: string): LocalError {
  return new LocalError('file_exists', `${path} is there already: --force replaces it`);
}
