import { PART_BYTES } from '../../../../domain/common/parts.ts';
import { DAY_MS } from '../../../../domain/common/time.ts';
import {
  AGE_BAND_FIRST_DAY,
  CONTENT_KINDS,
  MAX_PREFIXES,
  REST_PREFIX,
  SIZE_BAND_ENDS,
  SMALL_OBJECT_BYTES,
} from '../../../../domain/inventory/bands.ts';
import { contentKindIndex } from '../../../../domain/inventory/content-kind.ts';
import type { ObjectStatistics } from '../../../../domain/inventory/inventory.ts';
import type { ListedInventory } from '../../../../domain/inventory/bucket-inventory.ts';

export interface NaiveEntry {
  readonly key: string;
  readonly lastModified: string;
  readonly sizeBytes: number;
  readonly storageClass: string;
  readonly kind: 'current' | 'old_version' | 'delete_marker';
}

/** The inventory of a whole listing, computed without regard to order or memory. */
export function naiveInventory(
  entries: readonly NaiveEntry[],
  asOf: Date,
  sizeLimits: readonly number[] = [],
  maxKeyBytes = Infinity,
): ListedInventory {
  const current = entries.filter(({ kind }) => kind === 'current');
  const byPrefix = groupBy(current, ({ key }) => {
    const slash = key.indexOf('/');
    return slash < 0 ? REST_PREFIX : key.slice(0, slash + 1);
  });
  const largest = [...byPrefix]
    .filter(([prefix]) => prefix !== REST_PREFIX)
    .map(([prefix, members]) => ({ prefix, bytes: bytesOf(members) }))
    .sort((a, b) => b.bytes - a.bytes || Buffer.compare(bytes(a.prefix), bytes(b.prefix)))
    .slice(0, MAX_PREFIXES)
    .map(({ prefix }) => prefix);
  const kept = new Set(largest);
  const groups = groupBy(current, ({ key, storageClass, lastModified }) => {
    const slash = key.indexOf('/');
    const prefix = key.slice(0, slash + 1);
    const shown = slash >= 0 && kept.has(prefix) ? prefix : REST_PREFIX;
    return JSON.stringify([shown, storageClass, ageBand(lastModified, asOf)]);
  });
  const old = entries.filter(({ kind }) => kind === 'old_version');
  return {
    groups: [...groups].map(([name, members]) => {
      const [prefix, storageClass, band] = JSON.parse(name) as [string, string, number];
      const oversized = oversizedOf(members, sizeLimits);
      const longKeys = members.filter(({ key }) => bytes(key).length > maxKeyBytes).length;
      const group = { prefix, storageClass, ageBand: band };
      return Object.assign(
        statisticsOf(members),
        group,
        oversized.length > 0 && { oversized },
        longKeys > 0 && { longKeys },
      );
    }),
    bySize: [...SIZE_BAND_ENDS, Infinity].map((end, at) =>
      countOf(current.filter(({ sizeBytes: s }) => s < end && s >= (SIZE_BAND_ENDS[at - 1] ?? 0))),
    ),
    byContent: CONTENT_KINDS.map((kind, at) =>
      Object.assign(countOf(current.filter(({ key }) => contentKindIndex(key) === at)), { kind }),
    ).toSorted((a, b) => b.bytes - a.bytes),
    oldVersions: [...groupBy(old, ({ storageClass }) => storageClass)].map(
      ([storageClass, members]) => Object.assign(statisticsOf(members), { storageClass }),
    ),
    deleteMarkers: entries.filter(({ kind }) => kind === 'delete_marker').length,
  };
}

/** The same inventory with its lists in one order, to be compared. */
export function inOrder(inventory: ListedInventory): unknown {
  const fields = (item: object): string =>
    Object.entries(item)
      .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
      .sort()
      .join(' ');
  const sorted = (list: readonly object[]) => list.map(fields).sort();
  return {
    ...inventory,
    groups: sorted(inventory.groups),
    oldVersions: sorted(inventory.oldVersions),
  };
}

function groupBy<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(nameOf(item), [...(groups.get(nameOf(item)) ?? []), item]);
  return groups;
}

function bytes(text: string): Buffer {
  return Buffer.from(text);
}

function ageBand(lastModified: string, asOf: Date): number {
  const ageMs = Math.max(0, asOf.getTime() - Date.parse(lastModified));
  return AGE_BAND_FIRST_DAY.filter((day) => ageMs >= day * DAY_MS).length - 1;
}

function bytesOf(members: readonly NaiveEntry[]): number {
  return members.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

function countOf(members: readonly NaiveEntry[]): { objects: number; bytes: number } {
  return { objects: members.length, bytes: bytesOf(members) };
}

function oversizedOf(members: readonly NaiveEntry[], sizeLimits: readonly number[]) {
  return sizeLimits
    .map((limitBytes) => ({
      limitBytes,
      objects: members.filter(({ sizeBytes }) => sizeBytes > limitBytes).length,
    }))
    .filter(({ objects }) => objects > 0);
}

function statisticsOf(members: readonly NaiveEntry[]): ObjectStatistics {
  const small = members.filter(({ sizeBytes }) => sizeBytes < SMALL_OBJECT_BYTES);
  const large = members.filter(({ sizeBytes }) => sizeBytes > PART_BYTES);
  return {
    ...countOf(members),
    smallObjects: small.length,
    smallBytes: bytesOf(small),
    partRequests: large.reduce(
      (sum, { sizeBytes }) => sum + Math.ceil(sizeBytes / PART_BYTES) + 1,
      0,
    ),
  };
}
