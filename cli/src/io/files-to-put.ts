import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { wrongUsage } from './failure.ts';

export const STDIN = '-';

/** A file that is uploaded. */
export interface FileToPut {
  /** As the person would type it, or `-`. */
  path: string;
  fileName: string;
  /** For the progress bar; 0 if it is unknown, or the path leads to no file. */
  sizeBytes: number;
}

export interface FilesToPut {
  files: readonly FileToPut[];
  /** The number of entries of folders that are neither files nor folders. */
  skipped: number;
}

/** A single file; the upload itself reports one that cannot be read. */
export async function singleFile(path: string, name: string | undefined): Promise<FileToPut> {
  const entry = path === STDIN ? undefined : await stat(path).catch(() => undefined);
  if (entry?.isDirectory() === true) {
    throw wrongUsage(`${path} is a folder: srs put --recursive sends what is in it`);
  }
  const sizeBytes = entry?.isFile() === true ? entry.size : 0;
  return { path, fileName: name ?? basename(path), sizeBytes };
}

/**
 * Every regular file in the folders, at any depth, in the order of their paths. A file of a folder
 * is called by its path in it, with slashes. Links are not followed.
 */
export async function filesInFolders(paths: readonly string[]): Promise<FilesToPut> {
  const files: FileToPut[] = [];
  let skipped = 0;
  for (const path of paths) {
    if (!(await stat(path)).isDirectory()) {
      files.push(await singleFile(path, undefined));
      continue;
    }
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const inside = entries.filter((entry) => entry.isFile());
    skipped += entries.filter((entry) => !entry.isFile() && !entry.isDirectory()).length;
    // One after the other: a folder may hold more files than may be open at a time.
    for (const file of inside.map(entryPath).sort()) {
      const fileName = relative(path, file).replaceAll(sep, '/');
      files.push(await singleFile(file, fileName));
    }
  }
  return { files, skipped };
}

function entryPath({ parentPath, name }: Dirent): string {
  return join(parentPath, name);
}
