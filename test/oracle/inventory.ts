import type { ContentKind } from '../../domain/inventory/bands.ts';
import type {
  BucketInventory,
  Count,
  Group,
  OldVersions,
  ObjectStatistics,
  OversizedCount,
} from '../../domain/inventory/inventory.ts';
import type { ProviderName } from '../../domain/provider/catalogue.ts';
import type { ListedBucket, ListedObject, ListedUpload, Listing } from './listing.ts';
import { maxObjectBytes, TARGETS } from './prices.ts';

export const AGES = ['0-30', '30-90', '90-365', '365+'] as const;
export const AGE_STARTS_DAYS = [0, 30, 90, 365] as const;
export const SIZES = ['<128KiB', '128KiB-1MiB', '1MiB-64MiB', '64MiB-5GiB', '>5GiB'] as const;
export const REST = '*';
const SIZE_STARTS = [0, 131_072, 1_048_576, 67_108_864, 5_368_709_120];
const SMALL_BYTES = 131_072;
const PART_BYTES = 67_108_864;
const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_PREFIXES = 50;
/** Of a key at a target, which has the bucket's name in front. */
const LONGEST_KEY_BYTES = 1_024;
const TARGET_LIMITS = TARGETS.map(maxObjectBytes).sort((a, b) => a - b);

/** What kind of content a key names. */
export type KindOf = (key: string) => ContentKind;

const KIND_OF_EXTENSION: Readonly<Record<string, ContentKind>> = {
  jpg: 'image',
  png: 'image',
  mp4: 'video',
  mp3: 'audio',
  pdf: 'document',
  zip: 'archive',
  log: 'log',
  csv: 'data',
  bak: 'backup',
};

const byFewExtensions: KindOf = (key) =>
  KIND_OF_EXTENSION[/\.([a-z0-9]+)$/.exec(key)?.[1] ?? ''] ?? 'other';

/** Below 0, 0 or above, by the bytes of their UTF-8. */
export function compareUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The last of the ascending starts that the value has reached. */
function bandOf(starts: readonly number[], value: number): number {
  return starts.findLastIndex((start) => value >= start);
}

/** The age band of something at a moment; what is later than that is of age 0. */
function ageBandOf(lastModified: Date, at: Date): number {
  const ageMs = Math.max(0, at.getTime() - lastModified.getTime());
  return bandOf(
    AGE_STARTS_DAYS.map((days) => days * DAY_MS),
    ageMs,
  );
}

function segmentOf(key: string): string | null {
  const slash = key.indexOf('/');
  return slash < 0 ? null : key.slice(0, slash + 1);
}

function whole(value: number): number {
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is beyond what a number counts`);
  return value;
}

/** Of so many objects of one size. */
export function statisticsOf(size: number, times: number): ObjectStatistics {
  const isSmall = size < SMALL_BYTES;
  return {
    objects: times,
    bytes: whole(size * times),
    smallObjects: isSmall ? times : 0,
    smallBytes: isSmall ? size * times : 0,
    partRequests: size > PART_BYTES ? times * (Math.ceil(size / PART_BYTES) + 1) : 0,
    ...present(TARGET_LIMITS.map((limitBytes) => over(limitBytes, size > limitBytes ? times : 0))),
  };
}

/** Objects above one limit. */
function over(limitBytes: number, objects: number): OversizedCount {
  return { limitBytes, objects };
}

/** Only limits that some objects exceed are named. */
function present(counts: readonly OversizedCount[]): Pick<ObjectStatistics, 'oversized'> {
  const oversized = counts.filter(({ objects }) => objects > 0);
  return oversized.length > 0 ? { oversized } : {};
}

/** How many of the objects a provider does not store at their size. */
export function tooLargeFor(provider: ProviderName, parts: readonly ObjectStatistics[]): number {
  return addOver(parts, maxObjectBytes(provider)).objects;
}

function addOver(parts: readonly ObjectStatistics[], limitBytes: number): OversizedCount {
  const counts = parts
    .flatMap(({ oversized = [] }) => oversized)
    .filter((count) => count.limitBytes === limitBytes);
  return over(
    limitBytes,
    counts.reduce((sum, { objects }) => sum + objects, 0),
  );
}

/** The entries whose key does not fit at a target; named only where there are some. */
function longKeysOf(
  bucketName: string,
  entries: readonly ListedObject[],
): Pick<ObjectStatistics, 'longKeys'> {
  const longKeys = entries
    .filter(({ key }) => Buffer.from(`${bucketName}/${key}`).length > LONGEST_KEY_BYTES)
    .reduce((sum, { times = 1 }) => sum + times, 0);
  return longKeys > 0 ? { longKeys } : {};
}

/** How many of the objects have a key that does not fit at a target. */
export function tooLongIn(parts: readonly ObjectStatistics[]): number {
  return parts.reduce((sum, { longKeys = 0 }) => sum + longKeys, 0);
}

const EMPTY: ObjectStatistics = {
  objects: 0,
  bytes: 0,
  smallObjects: 0,
  smallBytes: 0,
  partRequests: 0,
};

export function addStatistics(parts: readonly ObjectStatistics[]): ObjectStatistics {
  const sizes = present(TARGET_LIMITS.map((limitBytes) => addOver(parts, limitBytes)));
  const sums = parts.reduce(
    (sum, total) => ({
      objects: whole(sum.objects + total.objects),
      bytes: whole(sum.bytes + total.bytes),
      smallObjects: sum.smallObjects + total.smallObjects,
      smallBytes: sum.smallBytes + total.smallBytes,
      partRequests: sum.partRequests + total.partRequests,
    }),
    EMPTY,
  );
  return { ...sums, ...sizes };
}

function totals(entries: readonly { size: number; times?: number }[]): ObjectStatistics {
  return addStatistics(entries.map(({ size, times }) => statisticsOf(size, times ?? 1)));
}

/** The entries by key. */
function groupBy<T>(entries: readonly T[], keyOf: (entry: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return groups;
}

/** The prefix of each object: the 50 largest first segments, and one for all other keys. */
function prefixesOf(objects: readonly ListedObject[]): (object: ListedObject) => string {
  const withSegment = objects.filter(({ key }) => segmentOf(key) !== null);
  const bySegment = [...groupBy(withSegment, ({ key }) => segmentOf(key) ?? REST)]
    .map(([segment, group]) => ({ segment, bytes: totals(group).bytes }))
    .sort((a, b) => b.bytes - a.bytes || compareUtf8(a.segment, b.segment));
  const kept = new Set(bySegment.slice(0, MAX_PREFIXES).map(({ segment }) => segment));
  return ({ key }) => {
    const segment = segmentOf(key);
    return segment !== null && kept.has(segment) ? segment : REST;
  };
}

/** Some of a bucket's objects, by its prefixes. */
function groupsOf(
  bucket: ListedBucket,
  objects: readonly ListedObject[],
  startedAt: Date,
): Group[] {
  const prefixOf = prefixesOf(bucket.objects);
  const placed = objects.map((object) => ({
    ...object,
    prefix: prefixOf(object),
    ageBand: ageBandOf(object.lastModified, startedAt),
  }));
  const groups = groupBy(placed, (object) =>
    JSON.stringify([object.prefix, object.storageClass, object.ageBand]),
  );
  return [...groups.values()].flatMap((group) => {
    const [some] = group;
    if (some === undefined) return [];
    const { prefix, storageClass, ageBand } = some;
    const longKeys = longKeysOf(bucket.name, group);
    return [{ prefix, storageClass, ageBand, ...totals(group), ...longKeys }];
  });
}

function oldVersionsOf(bucket: ListedBucket): OldVersions[] {
  const groups = groupBy(bucket.oldVersions, ({ storageClass }) => storageClass);
  return [...groups].map(([storageClass, group]) => Object.assign({ storageClass }, totals(group)));
}

function uploadsOf(uploads: readonly ListedUpload[]): BucketInventory['incompleteUploads'] {
  const { objects, bytes } = totals(
    uploads.map((upload) => ({ size: upload.bytes, times: upload.times ?? 1 })),
  );
  const oldest = Math.min(...uploads.map(({ initiated }) => initiated.getTime()));
  return { uploads: objects, bytes, oldestAt: uploads.length === 0 ? null : new Date(oldest) };
}

function count(objects: readonly ListedObject[]): Count {
  const total = totals(objects);
  return { objects: total.objects, bytes: total.bytes };
}

/** The kinds that there are, largest first. */
function contentOf(objects: readonly ListedObject[], kindOf: KindOf): BucketInventory['byContent'] {
  return [...groupBy(objects, ({ key }) => kindOf(key))]
    .map(([kind, group]) => Object.assign({ kind: kind as ContentKind }, count(group)))
    .sort((a, b) => b.bytes - a.bytes || compareUtf8(a.kind, b.kind));
}

/** The inventory of each bucket, in the order of the listing. */
export function inventoryOf(
  listing: Listing,
  kindOf: KindOf = byFewExtensions,
): (BucketInventory & { readonly groups: readonly Group[] })[] {
  return listing.buckets.map((bucket) => ({
    name: bucket.name,
    region: bucket.region,
    groups: groupsOf(bucket, bucket.objects, listing.startedAt),
    keepsVersions: false,
    copied: groupsOf(
      bucket,
      bucket.objects.filter(({ isCopied = false }) => isCopied),
      listing.startedAt,
    ),
    bySize: SIZES.map((_, band) =>
      count(bucket.objects.filter(({ size }) => bandOf(SIZE_STARTS, size) === band)),
    ),
    byContent: contentOf(bucket.objects, kindOf),
    oldVersions: oldVersionsOf(bucket),
    deleteMarkers: bucket.deleteMarkers,
    incompleteUploads: uploadsOf(bucket.uploads),
    lifecycle: bucket.lifecycle,
    coverage: [],
    error: bucket.error ?? null,
  }));
}
