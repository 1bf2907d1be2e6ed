import type { AccountUsage, BucketMetrics } from '../../domain/bill/bill.ts';
import type { ReadsOfBucket, ReadSource, Scenarios } from '../../domain/decision/types.ts';
import type { BucketInventory, Group } from '../../domain/inventory/inventory.ts';
import { total, type Line } from './bill.ts';
import { Fraction } from './fraction.ts';
import { AWS, gb, isArchived } from './prices.ts';
import type { ProviderName } from '../../domain/provider/catalogue.ts';

/** Section 8 of the pricing rules: how a bucket is read. */

/** Full reads per month by age band, in the scenario `expected`. */
const EXPECTED = ['0.5', '0.1', '0.03', '0.01'].map(Fraction.of);
const MONTH_DAYS = Fraction.of(30);
const ONE = Fraction.of(1);

/** Multiples of the expected reads: of requests, of bytes, and of bytes that leave to the internet. */
export interface Reads {
  readonly source: ReadSource;
  readonly gets: Fraction;
  readonly bytes: Fraction;
  readonly internet: Fraction;
  readonly scenarios: Readonly<Record<keyof Scenarios, Fraction>>;
}

const scenarios = (none: string, expected: string, heavy: string | Fraction) => ({
  none: Fraction.of(none),
  expected: Fraction.of(expected),
  heavy: heavy instanceof Fraction ? heavy : Fraction.of(heavy),
});
const KNOWN = scenarios('0.5', '1', '2');
export const ASSUMED: Reads = {
  source: 'assumed',
  gets: ONE,
  bytes: ONE,
  internet: ONE,
  scenarios: scenarios('0', '1', '10'),
};

export const expectedReads = ({ ageBand }: Pick<Group, 'ageBand'>): Fraction =>
  EXPECTED[ageBand] ?? Fraction.ZERO;

const ratio = (part: Fraction, whole: Fraction): Fraction =>
  whole.isZero() ? Fraction.ZERO : part.dividedBy(whole);

/** Bills and metrics are AWS's: what is weighed for them is there. */
const weigh = (
  { groups }: BucketInventory,
  of: (group: Group) => Fraction,
  provider: ProviderName = AWS,
): Fraction =>
  Fraction.sum(
    groups
      .filter(({ storageClass }) => !isArchived({ provider, storageClass }))
      .map((group) => of(group).times(expectedReads(group))),
  );

interface Weighed {
  readonly name: string;
  readonly objects: Fraction;
  readonly gb: Fraction;
  /** Requests and GB per 30 days; null where they were not measured. */
  readonly measured: { readonly gets: Fraction; readonly gb: Fraction } | null;
}

function weighed(bucket: BucketInventory, metrics: BucketMetrics | undefined): Weighed {
  const { reads = null } = metrics ?? {};
  const perMonth = (sum: Fraction) =>
    sum.times(MONTH_DAYS).dividedBy(Fraction.of(reads?.days ?? 1));
  const isMeasured = reads !== null && reads.days >= 14;
  return {
    name: bucket.name,
    objects: weigh(bucket, ({ objects }) => Fraction.of(objects)),
    gb: weigh(bucket, ({ bytes }) => gb(AWS, bytes)),
    measured: isMeasured
      ? { gets: perMonth(Fraction.of(reads.gets)), gb: perMonth(gb(AWS, reads.bytes)) }
      : null,
  };
}

function scenariosOf(bucket: Weighed, open: readonly Weighed[]): Reads['scenarios'] {
  if (bucket.measured !== null) return KNOWN;
  const read = open.filter(({ objects }) => objects.isPositive());
  if (read.length === 1 && read[0] === bucket) return KNOWN;
  const all = Fraction.sum(open.map(({ objects }) => objects));
  const most = Fraction.of(10);
  return scenarios(
    '0',
    '1',
    bucket.objects.isZero() ? most : all.dividedBy(bucket.objects).min(most),
  );
}

/** The reads of the buckets of one region, where the bill has these lines of it; `scale` is 30/d. */
function inRegion(buckets: readonly Weighed[], lines: readonly Line[], scale: Fraction) {
  const open = buckets.filter(({ measured }) => measured === null);
  const sum = (some: readonly Weighed[], of: (bucket: Weighed) => Fraction | undefined) =>
    Fraction.sum(some.map((bucket) => of(bucket) ?? Fraction.ZERO));
  const rest = total(lines, 'reads')
    .times(scale)
    .minus(sum(buckets, ({ measured }) => measured?.gets));
  const apportioned = ratio(
    rest.isPositive() ? rest : Fraction.ZERO,
    sum(open, ({ objects }) => objects),
  );
  const known = buckets.filter((bucket) => bucket.gb.isPositive());
  const knownGb = sum(known, ({ measured }) => measured?.gb);
  const openGb = sum(open, (bucket) => bucket.gb);
  const readGb = knownGb.plus(openGb.times(apportioned));
  const out = lines.filter(({ line }) => line === 'egress');
  const internet = total(out, 'quantity').times(scale);
  const isRaised = readGb.isBelow(internet) && openGb.isPositive();
  const bytes = isRaised ? internet.minus(knownGb).dividedBy(openGb) : apportioned;
  const leaving = isRaised ? ONE : ratio(internet, readGb).min(ONE);
  return buckets.map((bucket): readonly [string, Reads] => {
    const { measured } = bucket;
    if (measured === null && lines.length === 0) return [bucket.name, ASSUMED];
    const ownBytes = measured ? ratio(measured.gb, bucket.gb) : bytes;
    const reads: Reads = {
      source: measured ? 'measured' : 'apportioned',
      gets: measured ? ratio(measured.gets, bucket.objects) : apportioned,
      bytes: ownBytes,
      internet: lines.length > 0 ? ownBytes.times(leaving) : ownBytes,
      scenarios: scenariosOf(bucket, open),
    };
    return [bucket.name, reads];
  });
}

/** The reads of each bucket by its name. */
export function readsOf(
  buckets: readonly BucketInventory[],
  { bill, metrics }: AccountUsage,
  lines: readonly Line[],
): ReadonlyMap<string, Reads> {
  const [year, month] = (bill?.period ?? '2026-09').split('-').map(Number);
  const days = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate();
  const scale = MONTH_DAYS.dividedBy(Fraction.of(days));
  const regions = [...new Set(buckets.map(({ region }) => region))];
  return new Map(
    regions.flatMap((region) => {
      const here = buckets.filter((bucket) => bucket.region === region);
      const found = here.map((bucket) => weighed(bucket, metrics.get(bucket.name)));
      const billed = lines.filter((line) => line.region === region);
      return inRegion(found, billed, scale);
    }),
  );
}

/** Null for a bucket that could not be read. */
export function shownReads(
  bucket: BucketInventory & { readonly reads: Reads },
  provider: ProviderName,
): ReadsOfBucket | null {
  const { source, gets, bytes, internet } = bucket.reads;
  const readBytes = weigh(bucket, (group) => Fraction.of(group.bytes), provider);
  const readObjects = weigh(bucket, ({ objects }) => Fraction.of(objects), provider);
  const whole = (many: Fraction) => many.toDecimals(0);
  if (bucket.error !== null) return null;
  return {
    source,
    getsPerMonth: whole(readObjects.times(gets)),
    bytesPerMonth: whole(readBytes.times(bytes)),
    internetBytesPerMonth: whole(readBytes.times(internet)),
  };
}
