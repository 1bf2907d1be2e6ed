import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { withLock } from './lock.ts';
import type { Progress } from './progress.ts';

/** A cache entry: `<cache>/<name>/<version>/`. */
export interface CacheEntry {
  name: string;
  version: string;
}

export interface Cache {
  folder: string;
  /** The entry's folder, or undefined if it does not exist. An existing folder is complete. */
  find(entry: CacheEntry): Promise<string | undefined>;
  /** Fills the entry, unless another process does so first, and returns its folder. */
  install(entry: CacheEntry, make: (folder: string) => Promise<void>): Promise<string>;
  /** The log file of a build step. */
  logFile(entry: CacheEntry, step: string): Promise<string>;
}

/** Shared by all checkouts of this machine. */
function defaultCacheFolder(): string {
  const home = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(home, 'storage-routing-service');
}

/** An entry of compiled programs: machines of several platforms may share one home folder. */
export function nativeEntry(name: string, version: string): CacheEntry {
  return { name, version: `${version}-${process.platform}-${process.arch}` };
}

export function createCache(progress: Progress, folder = defaultCacheFolder()): Cache {
  const entryFolder = (entry: CacheEntry) => join(folder, entry.name, entry.version);
  const find = async (entry: CacheEntry) =>
    (await exists(entryFolder(entry))) ? entryFolder(entry) : undefined;

  return {
    folder,
    find,
    async install(entry, make) {
      const place = entryFolder(entry);
      const onWait = (pid: number) =>
        progress.say(`${entry.name}: process ${pid} fetches or builds it, waiting`);
      return await withLock(
        join(folder, 'locks', `${entry.name}-${entry.version}`),
        async () => {
          const made = await find(entry);
          return made ?? (await fill(place, make));
        },
        { onWait },
      );
    },
    async logFile(entry, step) {
      await mkdir(join(folder, 'logs'), { recursive: true });
      return join(folder, 'logs', `${entry.name}-${entry.version}-${step}.log`);
    },
  };
}

/** Builds in a temporary folder and renames it, so that an aborted build leaves no incomplete entry. */
async function fill(place: string, make: (folder: string) => Promise<void>): Promise<string> {
  await removeLeftovers(place);
  const building = await mkdtemp(`${place}.building-`);
  try {
    await make(building);
    await rename(building, place);
    return place;
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    throw error;
  }
}

async function removeLeftovers(place: string): Promise<void> {
  const parent = join(place, '..');
  await mkdir(parent, { recursive: true });
  const leftovers = (await readdir(parent)).map((name) => join(parent, name));
  for (const path of leftovers.filter((path) => path.startsWith(`${place}.building-`))) {
    await rm(path, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
