import * as fc from 'fast-check';
import type { ProviderName } from '../../domain/providers/catalogue.ts';
import { arbitraryUsage, UNKNOWN_REGION } from './arbitrary-usage.ts';
import { allStores, AWS } from './prices.ts';
import type { ListedBucket, Listing } from './listing.ts';
import type { MovedSelector } from '../../domain/inventory/inventory.ts';
import type { StoredLifecycleRule } from '../../domain/inventory/lifecycle.ts';

/** Far before, near to, on and after the day from which AWS may not charge for switching. */
const STARTS = ['2026-11-20T12:00:00.000Z', '2027-01-11T23:59:59.999Z', '2027-01-12T00:00:00.000Z'];
const DAY_MS = 86_400_000;

/** Whole lists, lists that another region completes, figures of less than high confidence, and one that no list knows. */
const REGIONS = [
  'us-east-1 us-west-2 eu-west-1 eu-central-1 eu-central-2 eu-south-1 eu-west-2 ap-south-1',
  `ap-southeast-1 me-central-1 sa-east-1 ${UNKNOWN_REGION}`,
].flatMap((line) => line.split(' '));

/** Of sources and of targets; a store that is not named has one. */
const OTHER_REGIONS: Readonly<Record<ProviderName, readonly string[]>> = {
  b2: ['us-west-004', 'eu-central-003'],
  wasabi: ['us-east-1', 'eu-central-1'],
};
const regionsOf = (provider: ProviderName) =>
  provider === AWS ? REGIONS : (OTHER_REGIONS[provider] ?? ['auto']);

/** The last two have no prices. */
const CLASSES = [
  'STANDARD STANDARD_IA ONEZONE_IA INTELLIGENT_TIERING GLACIER_IR GLACIER DEEP_ARCHIVE',
  'REDUCED_REDUNDANCY EXPRESS_ONEZONE',
].flatMap((line) => line.split(' '));

/** The last two stand the other way round in UTF-8 and in UTF-16; the empty one is a key without a segment. */
const PREFIXES = ['a/', 'b/', 'logs/', '/', '', '', '*/', '\u{1F4BE}/', '\uFFFD/'];
/** Two of keys of files of the service, one of other keys. */
const UPLOADS = ['', '', 'x'].map((more) => `uploads/0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e${more}/`);
const NAMES = ['alpha', 'beta.example', 'gamma-1', 'delta'];
/** What a tool begins the name of its bucket with. */
const TOOL = 'cdk-';
/** Of keys that just fit behind the name of a bucket in 1,024 bytes, and of those that just do not. */
const KEY_BYTES = NAMES.map((name) => 1_023 - name.length).flatMap((fits) => [fits, fits + 1]);
/** Of one, two, three and four bytes in UTF-8. */
const LETTERS = ['x', 'é', '日', '\u{1F4BE}'];

/** The key, with as many letters behind its prefix as make it so long. */
function keyOf(prefix: string, name: string, length: { bytes: number; letter: string } | null) {
  if (length === null) return prefix + name;
  const missing = length.bytes - Buffer.byteLength(prefix + name);
  const width = Buffer.byteLength(length.letter);
  const letters = length.letter.repeat(Math.floor(missing / width)) + 'x'.repeat(missing % width);
  return prefix + letters + name;
}

const AGES_MS = [0, 30, 90, 365].flatMap((days) =>
  [-1, 0, 1, 20 * DAY_MS].map((more) => days * DAY_MS + more),
);
const SIZES = [
  0, 1, 4_095, 4_096, 4_097, 40_000, 131_071, 131_072, 131_073, 1_048_575, 1_048_576, 10_485_760,
  67_108_863, 67_108_864, 67_108_865, 5_368_709_119, 5_368_709_120, 5_368_709_121, 1e9, 1e11, 1e12,
  5_492_189_429_760, 5_492_189_429_761, 10_000_000_000_000, 10_000_000_000_001,
];
const TIMES = [1, 7, 999, 1000, 1001, 10_000, 100_000];
/** Many equal entries stay below 5e13 bytes, so that the sums of a listing are whole numbers. */
const atMost = (size: number, times: number) => (size * times > 5e13 ? 1 : times);

const oneOf = <T>(...choices: [weight: number, arbitrary: fc.Arbitrary<T>][]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Mostly out of the whole list, often one value only, so that neighbours agree and answers merge. */
const few = <T>(values: readonly T[]): fc.Arbitrary<fc.Arbitrary<T>> =>
  oneOf(
    [2, fc.constantFrom(...values).map((value) => [value])],
    [3, fc.subarray([...values], { minLength: 1, maxLength: 5 })],
  ).map((chosen) => fc.constantFrom(...chosen));

const size = oneOf(
  [4, fc.constantFrom(...SIZES)],
  [1, fc.integer({ min: 0, max: 10_000_000_000 })],
);
const classes = oneOf(
  [2, fc.constant(fc.constantFrom('STANDARD'))],
  [1, fc.constant(fc.constantFrom('STANDARD', 'STANDARD_IA'))],
  [2, few(CLASSES)],
);
/** What of a bucket was copied already: mostly nothing, else a part of it or all. */
const copied = oneOf(
  [12, fc.constant(fc.constantFrom(false))],
  [1, fc.constant(fc.constantFrom(true, false, false))],
  [1, fc.constant(fc.constantFrom(true))],
);
/** What completed migrations were to move: mostly nothing. */
const moved = oneOf(
  [20, fc.constant<MovedSelector[]>([])],
  [1, fc.constant<MovedSelector[]>([{ migrationId: 'm1', prefix: null }])],
  [1, fc.constant<MovedSelector[]>([{ migrationId: 'm1', prefix: 'a/' }])],
  [
    1,
    fc.constant<MovedSelector[]>([
      { migrationId: 'm2', prefix: 'logs/' },
      { migrationId: 'm1', prefix: null },
    ]),
  ],
);
/** Rarely one only. */
const prefixes = oneOf(
  [1, few([...PREFIXES, ...UPLOADS])],
  [
    2,
    fc
      .subarray([...PREFIXES, ...UPLOADS], { minLength: 2, maxLength: 4 })
      .map((some) => fc.constantFrom(...some)),
  ],
);
const length = fc.record({
  bytes: fc.constantFrom(...KEY_BYTES),
  letter: fc.constantFrom(...LETTERS),
});

const OBJECT_NAMES = ['x.jpg', 'y.log', 'deep/z.csv', 'plain'];
/** Those of tools and tables. */
const MARKED_NAMES = [
  'AWSLogs/1/x.gz',
  'env/main.tfstate',
  't/_delta_log/0.json',
  't/.hoodie/x',
  't/metadata/v1.metadata.json',
];
const names = oneOf(
  [6, fc.constant(fc.constantFrom(...OBJECT_NAMES))],
  [1, fc.constant(fc.constantFrom(...OBJECT_NAMES, ...MARKED_NAMES))],
);

const objects = fc
  .tuple(classes, prefixes, few(AGES_MS), few(TIMES), copied, names)
  .chain(([storageClass, prefix, ageMs, times, isCopied, name]) =>
    fc.array(
      fc.record({
        size,
        storageClass,
        prefix,
        ageMs,
        times,
        isCopied,
        name,
        length: fc.option(length, { freq: 4 }),
      }),
      { maxLength: 12 },
    ),
  );
/** Before the start of the scan: on and beside the bounds of what is deletable, abortable, young and short-lived. */
const SINCE_MS = [0, 7, 30, 60, 180, 400].flatMap((days) =>
  [-1, 0, 1].map((more) => days * DAY_MS - more),
);
const keys = fc
  .tuple(fc.constantFrom('a/', 'b/', 'logs/', '', ...UPLOADS), fc.constantFrom('x', 'deep/z'))
  .map(([prefix, name]) => prefix + name);
const versions = fc.array(
  fc.record({
    key: keys,
    size,
    storageClass: fc.constantFrom(...CLASSES),
    ageMs: fc.constantFrom(...AGES_MS),
    sinceMs: fc.option(fc.constantFrom(...SINCE_MS), { freq: 6 }),
    times: fc.constantFrom(...TIMES),
  }),
  { maxLength: 5 },
);
const uploads = fc.array(
  fc.record({
    key: keys,
    sinceMs: fc.constantFrom(...SINCE_MS),
    bytes: fc.constantFrom(0, 5_242_880, 5_000_000_000, 1e12),
    times: fc.constantFrom(1, 1, 3),
  }),
  { maxLength: 3 },
);

const rulePrefix = fc.constantFrom('', '', 'a/', 'a/x', 'lo', 'uploads/', 'zz/');
const conditions = fc.constantFrom(
  {},
  {},
  {},
  { Tag: { Key: 'k', Value: 'v' } },
  { ObjectSizeGreaterThan: 1_000 },
);
/** What a rule does, and the days from the scan's start of a date. */
const deed = fc.constantFrom(
  ...[1, 45, 90, 366, 730, 731, 731, 1_000, 1_000].map((Days) => ({ Expiration: { Days } })),
  ...[-10, 0.5, 45, 400.25, 800].map((afterDays) => ({ afterDays })),
  { NoncurrentVersionExpiration: { NoncurrentDays: 30 } },
  { NoncurrentVersionExpiration: { NoncurrentDays: 30 } },
  { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } },
  { Transitions: [{ Days: 30, StorageClass: 'GLACIER' }] },
);
type Deed = ReturnType<typeof deed.generate>['value'];
const rule = fc.record({
  Status: fc.constantFrom('Enabled', 'Enabled', 'Enabled', 'Disabled'),
  prefix: rulePrefix,
  form: fc.constantFrom('filter', 'and', 'rule'),
  conditions,
  deed,
});
const rules = oneOf<readonly Found<typeof rule>[] | null>(
  [4, fc.constant([])],
  [1, fc.constant(null)],
  [4, fc.array(rule, { minLength: 1, maxLength: 3 })],
);
function ruleOf(
  { Status, prefix, form, conditions: others, deed: does }: Found<typeof rule>,
  startedAt: Date,
): StoredLifecycleRule {
  const done: Deed = does;
  const what =
    'afterDays' in done
      ? {
          Expiration: {
            Date: new Date(startedAt.getTime() + done.afterDays * DAY_MS).toISOString(),
          },
        }
      : done;
  const { Tag, ...sizes } = { Tag: undefined, ...others };
  if (form === 'rule') return { Status, Prefix: prefix, ...what };
  if (form === 'filter' && prefix === '') return { Status, Filter: others, ...what };
  if (form === 'filter' && Object.keys(others).length === 0)
    return { Status, Filter: { Prefix: prefix }, ...what };
  const tags = Tag === undefined ? {} : { Tags: [Tag] };
  return { Status, Filter: { And: { Prefix: prefix, ...sizes, ...tags } }, ...what };
}

const rarely = fc.nat(19).map((chance) => chance === 0);
const use = fc.record({
  isKept: rarely,
  isLocked: rarely,
  isReplicated: rarely,
  hasEvents: fc.boolean(),
  hasWebsite: fc.boolean(),
});
const bucketAt = (source: ProviderName) =>
  fc.record({
    region: fc.constantFrom(...regionsOf(source)),
    objects,
    oldVersions: oneOf([1, versions], [1, fc.constant<never[]>([])]),
    deleteMarkers: fc.constantFrom(0, 0, 5),
    moved,
    isPlace: fc.boolean(),
    uploads: oneOf([1, uploads], [1, fc.constant<never[]>([])]),
    rules,
    use,
    isTool: rarely,
    createdMs: fc.option(fc.constantFrom(...SINCE_MS), { freq: 3 }),
    fails: fc.nat(14).map((chance) => chance === 0),
  });
type Found<A> = A extends fc.Arbitrary<infer Some> ? Some : never;
type FoundBucket = Found<ReturnType<typeof bucketAt>>;

/**
 * Small listings of much: one to four buckets, every region's kind of list, every class, and ages
 * and sizes on and beside every boundary. Sums stay below 2^53.
 */
export function arbitraryListing(sources: readonly ProviderName[] = [AWS]): fc.Arbitrary<Listing> {
  return fc.constantFrom(...sources).chain(listingAt);
}

function listingAt(source: ProviderName): fc.Arbitrary<Listing> {
  return fc
    .record({
      source: fc.constant(source),
      names: fc.shuffledSubarray(NAMES, { minLength: 1 }),
      found: fc.array(bucketAt(source), { minLength: NAMES.length, maxLength: NAMES.length }),
      configured: fc.subarray<ProviderName>([...allStores()]),
      regions: fc.record(
        Object.fromEntries(
          allStores().map((provider) => [provider, fc.constantFrom(...regionsOf(provider))]),
        ),
      ),
      minMonthlySavingsUsd: fc.constantFrom(0, 1),
      minMoveMonthlySavingsUsd: fc.constantFrom(0, 10),
      horizonMonths: fc.constantFrom(12, 12, 12, 1, 36),
      startedAt: fc.constantFrom(...STARTS).map((start) => new Date(start)),
      usageOf: arbitraryUsage,
    })
    .map(({ names, found, startedAt, usageOf, ...settings }) => {
      const before = (ms: number) => new Date(startedAt.getTime() - ms);
      const error = { code: 'access_denied', message: 'the role may not list this bucket' };
      const bucketOf = (name: string, index: number): ListedBucket => {
        const { fails, isTool, objects, uploads, oldVersions, rules, createdMs, ...rest } = found[
          index
        ] as FoundBucket;
        return Object.assign(rest, {
          name: isTool ? TOOL + name : name,
          createdAt: createdMs === null ? null : before(createdMs),
          rules: rules?.map((one) => ruleOf(one, startedAt)) ?? null,
          objects: objects.map(({ size, storageClass, isCopied, ...one }) => ({
            key: keyOf(one.prefix, one.prefix === '' ? 'plain' : one.name, one.length),
            size,
            storageClass,
            isCopied,
            lastModified: before(one.ageMs),
            times: atMost(size, one.times),
          })),
          oldVersions: oldVersions.map(({ ageMs, sinceMs, times, ...version }) =>
            Object.assign(version, {
              lastModified: before(ageMs),
              noncurrentSince: sinceMs === null ? null : before(sinceMs),
              times: atMost(version.size, times),
            }),
          ),
          uploads: uploads.map(({ sinceMs, ...upload }) =>
            Object.assign(upload, { initiated: before(sinceMs) }),
          ),
          ...(fails ? { error } : {}),
        });
      };
      const buckets = names.map(bucketOf);
      // Only AWS has a bill and metrics.
      const usage = source === AWS ? { usage: usageOf(buckets) } : {};
      return Object.assign(settings, { startedAt, buckets }, usage);
    });
}
