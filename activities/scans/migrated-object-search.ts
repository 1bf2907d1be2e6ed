import { LRUCache } from 'lru-cache';
import type { Manifests, MigratedEntry } from '../../adapters/mongo/migrations/manifests.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';

/** The object that a migration has brought to the target under a key. Fast for ordered keys. */
export type MigratedObjectSearch = (key: string) => Promise<MigratedEntry | undefined>;

interface LoadedPage {
  readonly after: string | null;
  readonly last: string | undefined;
  readonly entries: ReadonlyMap<string, MigratedEntry>;
}

const MAX_LOADED = 48;

/** Searches a manifest by its pages and keeps the last used ones in memory. */
export function createMigratedObjectSearch(
  manifests: Pick<Manifests, 'migrated'>,
  migrationId: string,
  pages: number,
): MigratedObjectSearch {
  const loaded = new LRUCache<number, Promise<LoadedPage>>({ max: MAX_LOADED });
  let latest: LoadedPage | undefined;

  const load = (index: number): Promise<LoadedPage> => {
    const page = loaded.get(index) ?? read(index);
    loaded.set(index, page);
    return page;
  };

  async function read(index: number): Promise<LoadedPage> {
    const page = await manifests.migrated(migrationId, index);
    const entries = page?.entries ?? [];
    return {
      after: page?.after ?? null,
      last: entries.at(-1)?.key,
      entries: new Map(entries.map((entry) => [entry.key, entry])),
    };
  }

  return async (key) => {
    if (latest && isPastPage(key, latest) && compareKeys(key, latest.last ?? '') <= 0) {
      return latest.entries.get(key);
    }
    let [low, high] = [0, pages - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (isPastPage(key, await load(middle))) low = middle;
      else high = middle - 1;
    }
    latest = await load(low);
    return latest.entries.get(key);
  };
}

function isPastPage(key: string, { after }: LoadedPage): boolean {
  return after === null || compareKeys(key, after) > 0;
}
