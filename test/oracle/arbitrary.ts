import * as fc from 'fast-check';
import type { ProviderName } from '../../domain/provider/catalogue.ts';
import type {
  ListedBucket,
  ListedObject,
  ListedUpload,
  ListedVersion,
  Listing,
} from './listing.ts';

const STARTED_AT = new Date('2026-11-20T12:00:00.000Z');
/** Far before, near to, on and after the day from which AWS may not charge for switching. */
const STARTS = ['2026-11-20T12:00:00.000Z', '2027-01-11T23:59:59.999Z', '2027-01-12T00:00:00.000Z'];
const DAY_MS = 86_400_000;

/** Whole lists, lists that another region completes, figures of less than high confidence, and one that no list knows. */
const REGIONS = [
  'us-east-1 us-west-2 eu-west-1 eu-central-1 eu-central-2 eu-south-1 eu-west-2 ap-south-1',
  'ap-southeast-1 me-central-1 sa-east-1 xx-nowhere-9',
].flatMap((line) => line.split(' '));

/** The last two have no prices. */
const CLASSES = [
  'STANDARD STANDARD_IA ONEZONE_IA INTELLIGENT_TIERING GLACIER_IR GLACIER DEEP_ARCHIVE',
  'REDUCED_REDUNDANCY EXPRESS_ONEZONE',
].flatMap((line) => line.split(' '));

/** The last two stand the other way round in UTF-8 and in UTF-16; the empty one is a key without a segment. */
const PREFIXES = ['a/', 'b/', 'logs/', '/', '', '*/', '\u{1F4BE}/', '\uFFFD/'];

const NAMES = ['alpha', 'beta.example', 'gamma-1', 'delta'];

/** Of keys that just fit behind the name of a bucket in 1,024 bytes, and of those that just do not. */
const KEY_BYTES = [...new Set(NAMES.map((name) => 1_024 - Buffer.byteLength(`${name}/`)))].flatMap(
  (fits) => [fits, fits + 1],
);

/** Of one, two, three and four bytes in UTF-8. */
const LETTERS = ['x', 'é', '日', '\u{1F4BE}'];

interface Length {
  readonly bytes: number;
  readonly letter: string;
}

/** The key, with as many letters behind its prefix as make it so long. */
function keyOf(prefix: string, name: string, length: Length | null): string {
  if (length === null) return prefix + name;
  const missing = length.bytes - Buffer.byteLength(prefix + name);
  const width = Buffer.byteLength(length.letter);
  const letters = length.letter.repeat(Math.floor(missing / width)) + 'x'.repeat(missing % width);
  return prefix + letters + name;
}

const AGES_MS = [0, 30, 90, 365].flatMap((days) => [
  days * DAY_MS - 1,
  days * DAY_MS,
  days * DAY_MS + 1,
  (days + 20) * DAY_MS,
]);

const SIZES = [
  0, 1, 131_071, 131_072, 131_073, 1_048_575, 1_048_576, 10_485_760, 67_108_863, 67_108_864,
  67_108_865, 5_368_709_119, 5_368_709_120, 5_368_709_121, 1e9, 1e11, 1e12, 5_492_189_429_760,
  5_492_189_429_761, 10_000_000_000_000, 10_000_000_000_001,
];

/** Many equal entries stay below this, so that the sums of a listing are whole numbers. */
const MOST_BYTES_OF_AN_ENTRY = 5e13;

const TIMES = [1, 7, 999, 1000, 1001, 10_000, 100_000];

function atMost(size: number, times: number): number {
  return size * times > MOST_BYTES_OF_AN_ENTRY ? 1 : times;
}

/** Mostly out of the whole list, often one value only, so that neighbours agree and answers merge. */
function few<T>(values: readonly T[]): fc.Arbitrary<fc.Arbitrary<T>> {
  return fc
    .oneof(
      { weight: 2, arbitrary: fc.constantFrom(...values).map((value) => [value]) },
      { weight: 3, arbitrary: fc.subarray([...values], { minLength: 1, maxLength: 5 }) },
    )
    .map((chosen) => fc.constantFrom(...chosen));
}

const size = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...SIZES) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 10_000_000_000 }) },
);

function versions(storageClass: fc.Arbitrary<string>): fc.Arbitrary<ListedVersion> {
  return fc
    .record({ size, storageClass, times: fc.constantFrom(...TIMES) })
    .map((version) => Object.assign(version, { times: atMost(version.size, version.times) }));
}

const classes = fc.oneof(
  { weight: 2, arbitrary: fc.constant(fc.constant('STANDARD')) },
  { weight: 1, arbitrary: fc.constant(fc.constantFrom('STANDARD', 'STANDARD_IA')) },
  { weight: 2, arbitrary: few(CLASSES) },
);

/** What of a bucket was copied already: mostly nothing, else a part of it or all. */
const copied = fc.oneof(
  { weight: 4, arbitrary: fc.constant(fc.constant(false)) },
  { weight: 1, arbitrary: fc.constant(fc.constantFrom(true, false, false)) },
  { weight: 1, arbitrary: fc.constant(fc.constant(true)) },
);

const length: fc.Arbitrary<Length> = fc.record({
  bytes: fc.constantFrom(...KEY_BYTES),
  letter: fc.constantFrom(...LETTERS),
});

const objects: fc.Arbitrary<ListedObject[]> = fc
  .tuple(classes, few(PREFIXES), few(AGES_MS), few(TIMES), copied)
  .chain(([storageClass, prefix, ageMs, times, isCopied]) =>
    fc.array(
      fc
        .record({
          size,
          storageClass,
          prefix,
          ageMs,
          times,
          isCopied,
          name: fc.constantFrom('x.jpg', 'y.log', 'deep/z.csv', 'plain'),
          length: fc.option(length, { freq: 4 }),
        })
        .map((object) => ({
          key: keyOf(object.prefix, object.prefix === '' ? 'plain' : object.name, object.length),
          size: object.size,
          lastModified: new Date(STARTED_AT.getTime() - object.ageMs),
          storageClass: object.storageClass,
          times: atMost(object.size, object.times),
          isCopied: object.isCopied,
        })),
      { maxLength: 12 },
    ),
  );

const uploads: fc.Arbitrary<ListedUpload[]> = fc.array(
  fc.record({
    initiated: fc.nat(400).map((days) => new Date(STARTED_AT.getTime() - days * DAY_MS)),
    bytes: fc.constantFrom(0, 5_242_880, 5_000_000_000, 1e12),
  }),
  { maxLength: 3 },
);

const bucket = fc.record({
  region: fc.constantFrom(...REGIONS),
  objects,
  oldVersions: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(versions(fc.constantFrom(...CLASSES)), { maxLength: 4 }) },
  ),
  deleteMarkers: fc.constantFrom(0, 0, 5),
  uploads: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: uploads }),
  lifecycle: fc.constantFrom('none' as const, 'without_abort', 'with_abort', 'unknown'),
  fails: fc.nat(14).map((chance) => chance === 0),
});

/**
 * Small listings of much: one to four buckets, every region's kind of list, every class, and ages
 * and sizes on and beside every boundary. Sums stay below 2^53.
 */
export function arbitraryListing(): fc.Arbitrary<Listing> {
  return fc
    .record({
      names: fc.shuffledSubarray(NAMES, { minLength: 1 }),
      buckets: fc.array(bucket, { minLength: NAMES.length, maxLength: NAMES.length }),
      configured: fc.subarray<ProviderName>(['aws', 'r2', 'b2']),
      minMonthlySavingsUsd: fc.constantFrom(0, 1),
      horizonMonths: fc.constantFrom(12, 12, 12, 1, 36),
      startedAt: fc.constantFrom(...STARTS).map((start) => new Date(start)),
    })
    .map(({ names, buckets, configured, minMonthlySavingsUsd, horizonMonths, startedAt }) => ({
      startedAt,
      buckets: names.flatMap((name, index): ListedBucket[] => {
        const found = buckets[index];
        if (found === undefined) return [];
        const { fails, ...rest } = found;
        const error = { code: 'access_denied', message: 'the role may not list this bucket' };
        const later = laterBy(rest, startedAt.getTime() - STARTED_AT.getTime());
        return [{ name, ...later, ...(fails ? { error } : {}) }];
      }),
      configured,
      minMonthlySavingsUsd,
      horizonMonths,
    }));
}

/** The same bucket, with the same ages at a later start. */
function laterBy(
  found: Omit<ListedBucket, 'name' | 'error'>,
  ms: number,
): Omit<ListedBucket, 'name' | 'error'> {
  const later = (date: Date) => new Date(date.getTime() + ms);
  return {
    ...found,
    objects: found.objects.map((one) => ({ ...one, lastModified: later(one.lastModified) })),
    uploads: found.uploads.map((one) => ({ ...one, initiated: later(one.initiated) })),
  };
}
