import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { withLock } from './lock.ts';
import type { Progress } from './progress.ts';

/** One thing in the cache: `<cache>/<name>/<version>/`. */
export interface CacheEntry {
  name: string;
  version: string;
}

export interface Cache {
  folder: string;
  /** The entry's folder, or undefined where it is not there. A folder that is there is whole. */
  find(entry: CacheEntry): Promise<string | undefined>;
  /** Fills the entry unless somebody else does it first, and returns its folder. */
  install(entry: CacheEntry, make: (folder: string) => Promise<void>): Promise<string>;
  /** Where a build's output goes. */
  logFile(entry: CacheEntry, step: string): Promise<string>;
}

/** Shared by all checkouts of this machine. */
function defaultCacheFolder(environment = process.env): string {
  const home = environment['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(home, 'storage-routing-service');
}

/** Compiled programs of several machines may share one home. */
export function nativeEntry(name: string, version: string): CacheEntry {
  return { name, version: `${version}-${process.platform}-${process.arch}` };
}

export function createCache(progress: Progress, folder = defaultCacheFolder()): Cache {
  const placeOf = (entry: CacheEntry) => join(folder, entry.name, entry.version);
  const find = async (entry: CacheEntry) =>
    (await exists(placeOf(entry))) ? placeOf(entry) : undefined;

  return {
    folder,
    find,
    async install(entry, make) {
      const place = placeOf(entry);
      const onWait = (pid: number) =>
        progress.say(`${entry.name}: process ${pid} is building it, waiting`);
      return await withLock(
        join(folder, 'locks', `${entry.name}-${entry.version}`),
        async () => {
          const made = await find(entry);
          if (made !== undefined) progress.say(`${entry.name}: another process has made it`);
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

/** Made beside its place and renamed, so that a build that dies leaves nothing that looks whole. */
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
