import type { ContentKind, AgeBandIndex } from '../../domain/inventory/bands.ts';
import type {
  BucketInventory,
  BucketUse,
  Group,
  KeyMark,
  ObjectStatistics,
  OldVersions,
} from '../../domain/inventory/inventory.ts';
import type { ProviderName } from '../../domain/providers/catalogue.ts';
import type {
  ListedBucket,
  ListedObject,
  ListedUpload,
  ListedVersion,
  Listing,
} from './listing.ts';
import { AWS, maxObjectBytes, minimumSizes, targetsOf } from './prices.ts';
import { DAY_MS, expirationsOf, isAbortable, isDeletable, lifecycleOf, marksOf } from './rules.ts';

export const AGES = ['0-30', '30-90', '90-365', '365+'] as const;
export const AGE_STARTS_DAYS = [0, 30, 90, 365] as const;
export const SIZES = ['<128KiB', '128KiB-1MiB', '1MiB-64MiB', '64MiB-5GiB', '>5GiB'] as const;
export const REST = '*';
const SIZE_STARTS = [0, 131_072, 1_048_576, 67_108_864, 5_368_709_120];
const SMALL_BYTES = 131_072;
const PART_BYTES = 67_108_864;
const MARKS: readonly KeyMark[] = ['aws_logs', 'state', 'table'];
const NO_USE: BucketUse = {
  isKept: false,
  isLocked: false,
  isReplicated: false,
  hasEvents: false,
  hasWebsite: false,
};
const MAX_PREFIXES = 50;
/** Of a key at a target, which has the bucket's name in front. */
const LONGEST_KEY_BYTES = 1_024;
/** What is counted apart from the small objects. */
const countedMinimums = () => minimumSizes().filter((bytes) => bytes !== SMALL_BYTES);

/** The sizes that objects are compared with. */
interface Counted {
  readonly limits: readonly number[];
  readonly minimums: readonly number[];
}

const countedFor = (source: ProviderName): Counted => ({
  limits: [...new Set(targetsOf(source).map(maxObjectBytes))].sort((a, b) => a - b),
  minimums: countedMinimums(),
});

/** What kind of content a key names. */
export type KindOf = (key: string) => ContentKind;

const byFewExtensions: KindOf = (key) => {
  const extension = /\.([a-z0-9]+)$/.exec(key)?.[1];
  if (extension === 'jpg') return 'image';
  if (extension === 'log') return 'log';
  return extension === 'csv' ? 'data' : 'other';
};

/** Below 0, 0 or above, by the bytes of their UTF-8. */
export function compareUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The last of the ascending starts that the value has reached. */
function bandOf(starts: readonly number[], value: number): number {
  return starts.findLastIndex((start) => value >= start);
}

/** The age band of something at a moment; what is later than that is of age 0. */
function ageBandOf(lastModified: Date, at: Date): AgeBandIndex {
  return bandOf(
    AGE_STARTS_DAYS,
    Math.max(0, at.getTime() - lastModified.getTime()) / DAY_MS,
  ) as AgeBandIndex;
}

function segmentOf(key: string): string | null {
  const slash = key.indexOf('/');
  return slash < 0 ? null : key.slice(0, slash + 1);
}

function total<T>(items: readonly T[], of: (item: T) => number): number {
  const sum = items.reduce((all, item) => all + of(item), 0);
  if (!Number.isSafeInteger(sum)) throw new Error(`${sum} is beyond what a number counts`);
  return sum;
}

interface Sized {
  readonly size: number;
  readonly times?: number;
}
const count = (entries: readonly Sized[]) => ({
  objects: total(entries, ({ times = 1 }) => times),
  bytes: total(entries, ({ size, times = 1 }) => size * times),
});

function totals(entries: readonly Sized[], counted: Counted): ObjectStatistics {
  const small = count(entries.filter(({ size }) => size < SMALL_BYTES));
  const oversized = counted.limits
    .map((limitBytes) => {
      const { objects } = count(entries.filter(({ size }) => size > limitBytes));
      return { limitBytes, objects };
    })
    .filter(({ objects }) => objects > 0);
  const undersized = counted.minimums
    .map((minBytes) =>
      Object.assign({ minBytes }, count(entries.filter(({ size }) => size < minBytes))),
    )
    .filter(({ objects }) => objects > 0);
  return {
    ...count(entries),
    smallObjects: small.objects,
    smallBytes: small.bytes,
    partRequests: total(entries, ({ size, times = 1 }) =>
      size > PART_BYTES ? times * (Math.ceil(size / PART_BYTES) + 1) : 0,
    ),
    // Only limits that some objects exceed are named.
    ...(oversized.length > 0 ? { oversized } : {}),
    ...(undersized.length > 0 ? { undersized } : {}),
  };
}

/** How many of the objects a provider does not store at their size. */
export function tooLargeFor(provider: ProviderName, parts: readonly ObjectStatistics[]): number {
  const counts = parts.flatMap(({ oversized = [] }) => oversized);
  return total(counts, ({ limitBytes, objects }) =>
    limitBytes === maxObjectBytes(provider) ? objects : 0,
  );
}

/** The entries whose key does not fit at a target; named only where there are some. */
function longKeysOf(bucketName: string, entries: readonly ListedObject[]) {
  const isLong = ({ key }: ListedObject) =>
    Buffer.from(`${bucketName}/${key}`).length > LONGEST_KEY_BYTES;
  const { objects: longKeys } = count(entries.filter(isLong));
  return longKeys > 0 ? { longKeys } : {};
}

/** How many of the objects have a key that does not fit at a target. */
export const tooLongIn = (parts: readonly ObjectStatistics[]): number =>
  total(parts, ({ longKeys = 0 }) => longKeys);

/** The entries by key. */
function groupBy<T>(entries: readonly T[], keyOf: (entry: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return groups;
}

export const UPLOADS = 'uploads/';

/** Whether there are keys below `uploads/`, of versions and uploads too, and all of them are those of files. */
function areFiles({ objects, oldVersions, uploads }: ListedBucket): boolean {
  const all = [...objects, ...oldVersions, ...uploads].map(({ key }) => key);
  const keys = all.filter((key) => segmentOf(key) === UPLOADS);
  const id = [8, 4, 4, 4, 12].map((digits) => '[0-9a-f]'.repeat(digits)).join('-');
  const form = new RegExp(`^${UPLOADS}${id}/`);
  return keys.length > 0 && keys.every((key) => form.test(key));
}

/** The prefix of each object: the 50 largest first segments, that of files, and one for all other keys. */
function prefixesOf(bucket: ListedBucket): (object: ListedObject) => string {
  const { objects } = bucket;
  const withSegment = objects.filter(({ key }) => segmentOf(key) !== null);
  const bySegment = [...groupBy(withSegment, ({ key }) => segmentOf(key) ?? REST)]
    .map(([segment, group]) => ({ segment, bytes: count(group).bytes }))
    .sort((a, b) => b.bytes - a.bytes || compareUtf8(a.segment, b.segment));
  const largest = bySegment.slice(0, MAX_PREFIXES).map(({ segment }) => segment);
  const kept = new Set([...largest, ...(areFiles(bucket) ? [UPLOADS] : [])]);
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
  counted: Counted,
): Group[] {
  const prefixOf = prefixesOf(bucket);
  const placeOf = (object: ListedObject) =>
    [prefixOf(object), object.storageClass, ageBandOf(object.lastModified, startedAt)] as const;
  const groups = groupBy(objects, (object) => JSON.stringify(placeOf(object)));
  return [...groups].map(([place, group]) => {
    const [prefix, storageClass, ageBand] = JSON.parse(place) as ReturnType<typeof placeOf>;
    const longKeys = longKeysOf(bucket.name, group);
    return Object.assign({ prefix, storageClass, ageBand }, totals(group, counted), longKeys);
  });
}

/** The kinds that there are, largest first. */
function contentOf(objects: readonly ListedObject[], kindOf: KindOf): BucketInventory['byContent'] {
  return [...groupBy(objects, ({ key }) => kindOf(key))]
    .map(([kind, group]) => Object.assign({ kind: kind as ContentKind }, count(group)))
    .sort((a, b) => b.bytes - a.bytes || compareUtf8(a.kind, b.kind));
}

/** Old versions by class, age and whether they may be deleted. */
function versionsOf(
  { oldVersions, rules }: ListedBucket,
  startedAt: Date,
  isFile: (key: string) => boolean,
  counted: Counted,
): OldVersions[] {
  const kindOf = (version: ListedVersion) =>
    [
      version.storageClass,
      ageBandOf(version.lastModified, startedAt),
      isDeletable(version, rules, startedAt) && !isFile(version.key),
    ] as const;
  const groups = groupBy(oldVersions, (version) => JSON.stringify(kindOf(version)));
  return [...groups].map(([text, group]) => {
    const [storageClass, ageBand, deletable] = JSON.parse(text) as ReturnType<typeof kindOf>;
    const kind = { storageClass, ageBand, isDeletable: deletable };
    return Object.assign(kind, totals(group, counted));
  });
}

const countParts = (uploads: readonly ListedUpload[]) => {
  const { objects, bytes } = count(uploads.map(({ bytes: size, times = 1 }) => ({ size, times })));
  return { uploads: objects, bytes };
};

const earliest = (times: readonly Date[]): Date | null =>
  times.length === 0 ? null : new Date(Math.min(...times.map((time) => time.getTime())));

/** The prefixes with marks of their keys. */
function markedPrefixes(bucket: ListedBucket): BucketInventory['marks'] {
  const prefixOf = prefixesOf(bucket);
  return [...groupBy(bucket.objects, prefixOf)].flatMap(([prefix, group]) => {
    const found = new Set(group.flatMap(({ key }) => marksOf(key)));
    const marks = MARKS.filter((mark) => found.has(mark));
    return marks.length > 0 ? [{ prefix, marks }] : [];
  });
}

/** The inventory of each bucket, in the order of the listing. */
export function inventoryOf(
  { buckets, startedAt, source = AWS }: Listing,
  kindOf: KindOf = byFewExtensions,
): (BucketInventory & { readonly groups: readonly Group[] })[] {
  const counted = countedFor(source);
  return buckets.map((bucket) => {
    const { name, region, objects, oldVersions, uploads, rules } = bucket;
    const copied = objects.filter(({ isCopied = false }) => isCopied);
    const isRouted = bucket.isPlace === true && areFiles(bucket);
    const isFile = (key: string) => isRouted && segmentOf(key) === UPLOADS;
    const abortable = uploads.filter(
      (upload) => isAbortable(upload, rules, startedAt) && !isFile(upload.key),
    );
    return {
      name,
      region,
      groups: groupsOf(bucket, objects, startedAt, counted),
      keepsVersions: false,
      copied: groupsOf(bucket, copied, startedAt, counted),
      moved: bucket.moved ?? [],
      bySize: SIZES.map((_, band) =>
        count(objects.filter(({ size }) => bandOf(SIZE_STARTS, size) === band)),
      ),
      byContent: contentOf(objects, kindOf),
      oldVersions: versionsOf(bucket, startedAt, isFile, counted),
      deleteMarkers: bucket.deleteMarkers,
      incompleteUploads: {
        ...countParts(uploads),
        oldestAt: earliest(uploads.map(({ initiated }) => initiated)),
        abortable: countParts(abortable),
      },
      ...(isRouted ? { isRouted: true as const } : {}),
      createdAt: bucket.createdAt,
      oldestAt: earliest([...objects, ...oldVersions].map(({ lastModified }) => lastModified)),
      use: { ...NO_USE, ...bucket.use },
      marks: markedPrefixes(bucket),
      expirations: expirationsOf(rules ?? [], startedAt),
      lifecycle: lifecycleOf(rules),
      ...(rules === null ? {} : { rules: { rules } }),
      coverage: [],
      error: bucket.error ?? null,
    };
  });
}
