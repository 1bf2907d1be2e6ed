import assert from 'node:assert/strict';
import { CONTENT_KINDS } from '../../../../domain/inventory/bands.ts';
import type { ListedInventory } from '../../../../domain/inventory/bucket-inventory.ts';
import { contentKindIndex } from '../../../../domain/inventory/content-kind.ts';
import { inventoryOf } from '../../../oracle/inventory.ts';
import { bucketOf, listingOf } from '../../oracle/listings.ts';

interface Entry {
  readonly key: string;
  readonly lastModified: string;
  readonly sizeBytes: number;
  readonly storageClass: string;
  readonly kind: 'current' | 'old_version' | 'delete_marker';
}

/** The inventory of a bucket's whole listing, by the second computation. */
function expectedInventory(
  entries: readonly Entry[],
  startedAt: Date,
  name: string,
): ListedInventory {
  const of = (kind: Entry['kind']) =>
    entries
      .filter((entry) => entry.kind === kind)
      .map(({ key, lastModified, sizeBytes, storageClass }) => ({
        key,
        lastModified: new Date(lastModified),
        size: sizeBytes,
        storageClass,
      }));
  const bucket = bucketOf(of('current'), {
    name,
    isPlace: true,
    oldVersions: of('old_version'),
    deleteMarkers: of('delete_marker').length,
  });
  const kindOf = (key: string) => CONTENT_KINDS[contentKindIndex(key)] ?? 'other';
  const [found = assert.fail()] = inventoryOf(listingOf([bucket], { startedAt }), kindOf);
  const { groups, bySize, byContent, oldVersions, deleteMarkers, isRouted } = found;
  const isBelow = ({ kind, key }: Entry) => kind !== 'delete_marker' && key.startsWith('uploads/');
  const uploadKeys = isRouted ? 'files' : entries.some(isBelow) ? 'others' : 'none';
  const all = CONTENT_KINDS.map(
    (kind) => byContent.find((count) => count.kind === kind) ?? { kind, objects: 0, bytes: 0 },
  );
  const ordered = all.toSorted((a, b) => b.bytes - a.bytes);
  const keys = of('current').map(({ key }) => key);
  const nestedKeys = nestedOf(keys, [...new Set(groups.map(({ prefix }) => prefix))]);
  return { groups, bySize, byContent: ordered, oldVersions, deleteMarkers, uploadKeys, nestedKeys };
}

/** What is below other keys, of the bucket and of each prefix; one of each serves as the example. */
function nestedOf(keys: readonly string[], prefixes: readonly string[]) {
  return [null, ...prefixes].flatMap((prefix) => {
    const own = keys.filter((key) => prefix === null || key.startsWith(prefix));
    const below = own.filter((key) => own.some((other) => key.startsWith(`${other}/`)));
    return below.length === 0 ? [] : [{ prefix, objects: below.length, above: '', below: '' }];
  });
}

/** The inventory of these entries is the expected one, in any order of its lists. */
export function assertInventory(
  actual: ListedInventory,
  ...[entries, startedAt, name]: Parameters<typeof expectedInventory>
): void {
  assert.deepEqual(inOrder(actual), inOrder(expectedInventory(entries, startedAt, name)));
  const keys = new Set(entries.filter(({ kind }) => kind === 'current').map(({ key }) => key));
  for (const { above, below } of actual.nestedKeys ?? [])
    assert.ok(keys.has(above) && keys.has(below) && below.startsWith(`${above}/`), below);
}

/** The same inventory with its lists in one order, to be compared. */
function inOrder(inventory: ListedInventory): unknown {
  const fields = (item: object): string =>
    Object.entries(item)
      .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
      .sort()
      .join(' ');
  const sorted = (list: readonly object[]) => list.map(fields).sort();
  const [groups, oldVersions] = [sorted(inventory.groups), sorted(inventory.oldVersions)];
  const counted = inventory.nestedKeys?.map(({ prefix, objects }) => ({ prefix, objects })) ?? [];
  return { ...inventory, groups, oldVersions, nestedKeys: sorted(counted) };
}
