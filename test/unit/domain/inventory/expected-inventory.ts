import assert from 'node:assert/strict';
import { CONTENT_KINDS } from '../../../../domain/inventory/bands.ts';
import type { ListedInventory } from '../../../../domain/inventory/bucket-inventory.ts';
import type { KeyMark } from '../../../../domain/inventory/inventory.ts';
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

/** The prefixes of the keys whose old versions a rule expires; null: the rules are not known. */
type Cleaned = readonly string[] | null;

/** The inventory of a bucket's whole listing, by the second computation. */
function expectedInventory(
  entries: readonly Entry[],
  startedAt: Date,
  name: string,
  cleaned: Cleaned = null,
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
  // Their keys alone count here.
  const oldVersions = of('old_version').map((one) => Object.assign(one, { noncurrentSince: null }));
  const bucket = bucketOf(of('current'), {
    name,
    isPlace: true,
    oldVersions,
    deleteMarkers: of('delete_marker').length,
  });
  const kindOf = (key: string) => CONTENT_KINDS[contentKindIndex(key)] ?? 'other';
  const [found = assert.fail()] = inventoryOf(listingOf([bucket], { startedAt }), kindOf);
  const { groups, bySize, byContent, deleteMarkers, isRouted } = found;
  const isBelow = ({ kind, key }: Entry) => kind !== 'delete_marker' && key.startsWith('uploads/');
  const uploadKeys = isRouted ? 'files' : entries.some(isBelow) ? 'others' : 'none';
  const all = CONTENT_KINDS.map(
    (kind) => byContent.find((count) => count.kind === kind) ?? { kind, objects: 0, bytes: 0 },
  );
  const ordered = all.toSorted((a, b) => b.bytes - a.bytes);
  const keys = of('current').map(({ key }) => key);
  const prefixes = [...new Set(groups.map(({ prefix }) => prefix))];
  const times = entries.filter(({ kind }) => kind !== 'delete_marker');
  const oldest = times.map(({ lastModified }) => lastModified).sort()[0];
  return {
    groups,
    bySize,
    byContent: ordered,
    oldVersions: oldVersionsOf(entries, startedAt, cleaned),
    deleteMarkers,
    oldestAt: oldest === undefined ? null : new Date(oldest),
    marks: marksOf(keys, prefixes),
    uploadKeys,
    nestedKeys: nestedOf(keys, prefixes),
  };
}

/** The statistics of old versions are those of objects without a prefix. */
function oldVersionsOf(
  entries: readonly Entry[],
  startedAt: Date,
  cleaned: Cleaned,
): ListedInventory['oldVersions'] {
  const latest = startedAt.getTime() - 30 * 24 * 60 * 60 * 1000;
  const isDeletable = ({ key }: Entry, at: number) => {
    const newer = entries[at - 1];
    if (newer?.key !== key || cleaned === null) return false;
    return (
      Date.parse(newer.lastModified) <= latest && !cleaned.some((prefix) => key.startsWith(prefix))
    );
  };
  const versions = entries
    .map((entry, at) => ({ entry, isDeletable: isDeletable(entry, at) }))
    .filter(({ entry }) => entry.kind === 'old_version');
  return [true, false].flatMap((wanted) => {
    const objects = versions
      .filter((version) => version.isDeletable === wanted)
      .map(({ entry: { lastModified, sizeBytes, storageClass } }, at) => ({
        key: `v${at}`,
        lastModified: new Date(lastModified),
        size: sizeBytes,
        storageClass,
      }));
    const [found = assert.fail()] = inventoryOf(listingOf([bucketOf(objects)], { startedAt }));
    return found.groups.map(({ prefix: _prefix, oversized: _oversized, ...group }) =>
      Object.assign({ isDeletable: wanted }, group),
    );
  });
}

function marksOf(keys: readonly string[], prefixes: readonly string[]): ListedInventory['marks'] {
  const prefixOf = (key: string) => {
    const first = key.slice(0, key.indexOf('/') + 1);
    return prefixes.includes(first) ? first : '*';
  };
  return [...new Set([...prefixes, '*'])].flatMap((prefix) => {
    const own = keys.filter((key) => prefixOf(key) === prefix).map((key) => key.split('/'));
    const has = (...names: string[]) =>
      own.some((parts) => parts.slice(0, -1).some((part) => names.includes(part)));
    const tests: Readonly<Record<KeyMark, boolean>> = {
      aws_logs: has('AWSLogs'),
      state: own.some((parts) => parts.at(-1)?.endsWith('.tfstate')),
      table:
        has('_delta_log', '.hoodie') ||
        own.some(
          (parts) => parts.at(-2) === 'metadata' && parts.at(-1)?.endsWith('.metadata.json'),
        ),
    };
    const marks = (Object.keys(tests) as KeyMark[]).filter((mark) => tests[mark]);
    return marks.length === 0 ? [] : [{ prefix, marks }];
  });
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
  ...[entries, startedAt, name, cleaned]: Parameters<typeof expectedInventory>
): void {
  assert.deepEqual(inOrder(actual), inOrder(expectedInventory(entries, startedAt, name, cleaned)));
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
  const marks = sorted(inventory.marks);
  const counted = inventory.nestedKeys?.map(({ prefix, objects }) => ({ prefix, objects })) ?? [];
  return { ...inventory, groups, oldVersions, marks, nestedKeys: sorted(counted) };
}
