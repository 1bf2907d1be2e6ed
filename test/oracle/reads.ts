import type { ReadSource } from '../../domain/reads/reads.ts';
import type { Scenarios } from '../../domain/reads/scenarios.ts';
import type { AccountUsage, BucketMetrics } from '../../domain/bill/bill.ts';
import type { ReadsOfBucket } from '../../domain/decision/types.ts';
import type { BucketInventory, Group } from '../../domain/inventory/inventory.ts';
import type { ProviderName } from '../../domain/providers/catalogue.ts';
import { monthScale, total, trafficOf, type Line, type Traffic } from './bill.ts';
import { Fraction } from './fraction.ts';
import { AWS, egressPerGb, first, gb, isArchived, STANDARD } from './prices.ts';

/** Section 8 of the pricing rules: how a bucket is read, and where its bytes go. */

export type Scenario = keyof Scenarios;
export const SCENARIOS = ['none', 'expected', 'heavy', 'inside'] as const;

/** Section 4: full reads per month by age band. */
const EXPECTED = ['0.5', '0.1', '0.03', '0.01'].map(Fraction.of);
const MONTH_DAYS = Fraction.of(30);
const { ZERO } = Fraction;
const ONE = Fraction.of(1);
/** Classes whose reads a bill counts in GB. */
const WITH_RETRIEVAL = new Set(['STANDARD_IA', 'ONEZONE_IA', 'GLACIER_IR']);

/** Of what is read, what leaves to the internet (χ) and what is read inside AWS (ι); of what arrives, what is written there (ω). */
export interface Shares {
  readonly internet: Fraction;
  readonly inside: Fraction;
  readonly written: Fraction;
}

interface Multiples {
  readonly gets: Fraction;
  readonly bytes: Fraction;
}

/** Requests and GB a month. */
interface Known {
  readonly gets: Fraction;
  readonly gb: Fraction;
}

export interface Reads {
  readonly source: ReadSource;
  /** kG and kD of a class: multiples of the expected reads. */
  readonly multiplesOf: (storageClass: string) => Multiples;
  /** All that is known to be read of a class; null where nothing is known. */
  readonly mostOf: ((storageClass: string) => Known) | null;
  readonly shares: Readonly<Record<Scenario, Shares>>;
  /** What a GB to the internet costs by the bill; null where it does not say it. */
  readonly paidPerGb: Fraction | null;
  /** The bill says only what several buckets are read together. */
  readonly isSplit: boolean;
  /** The bill shows that machines in AWS read or write, and they may read this bucket. */
  readonly hasReadersInside: boolean;
}

const shares = (internet: Fraction, inside: Fraction, written: Fraction): Shares => ({
  internet,
  inside,
  written,
});
const NOWHERE = shares(ZERO, ZERO, ZERO);
const ASSUMED_SHARES: Reads['shares'] = {
  none: NOWHERE,
  expected: NOWHERE,
  heavy: shares(ONE, ZERO, ZERO),
  inside: shares(ZERO, ONE, ONE),
};
const ASSUMED: Reads = {
  source: 'assumed',
  multiplesOf: () => ({ gets: ONE, bytes: ONE }),
  mostOf: null,
  shares: ASSUMED_SHARES,
  paidPerGb: null,
  isSplit: false,
  hasReadersInside: false,
};
const OUTSIDE = shares(ONE, ZERO, ZERO);
/** Elsewhere than at AWS every read leaves to the internet. */
const ELSEWHERE: Reads = {
  ...ASSUMED,
  shares: { none: OUTSIDE, expected: OUTSIDE, heavy: OUTSIDE, inside: OUTSIDE },
};

/** E(band). */
export const expectedReads = ({ ageBand }: Pick<Group, 'ageBand'>): Fraction =>
  EXPECTED[ageBand] ?? ZERO;

const ratio = (part: Fraction, whole: Fraction): Fraction =>
  whole.isPositive() ? part.dividedBy(whole) : ZERO;

const positive = (value: Fraction): Fraction => (value.isPositive() ? value : ZERO);

/** W and V: what the groups of a bucket, or of a class in it, weigh. */
interface Weight {
  readonly objects: Fraction;
  readonly gb: Fraction;
}

const countsAt = (provider: ProviderName) => (group: Group) =>
  !isArchived({ provider, storageClass: group.storageClass });

function weigh(groups: readonly Group[]): Weight {
  const counted = groups.filter(countsAt(AWS));
  const of = (value: (group: Group) => Fraction) =>
    Fraction.sum(counted.map((group) => value(group).times(expectedReads(group))));
  return {
    objects: of(({ objects }) => Fraction.of(objects)),
    gb: of(({ bytes }) => gb(AWS, bytes)),
  };
}

const classesOf = (buckets: readonly BucketInventory[]): readonly string[] => [
  ...new Set(buckets.flatMap(({ groups }) => groups.map(({ storageClass }) => storageClass))),
];

const ofClass = ({ groups }: BucketInventory, name: string): readonly Group[] =>
  groups.filter(({ storageClass }) => storageClass === name);

/** G and D of a bucket that is measured: per 30 days. */
function measuredOf(metrics: BucketMetrics | undefined): Known | null {
  const { reads = null } = metrics ?? {};
  if (reads === null || reads.days < 14) return null;
  const perMonth = (sum: Fraction) => sum.times(MONTH_DAYS).dividedBy(Fraction.of(reads.days));
  return { gets: perMonth(Fraction.of(reads.gets)), gb: perMonth(gb(AWS, reads.bytes)) };
}

/** kG and kD of a measured bucket. */
function measuredMultiples(bucket: BucketInventory, measured: Known): Multiples {
  const weight = weigh(bucket.groups);
  return { gets: ratio(measured.gets, weight.objects), bytes: ratio(measured.gb, weight.gb) };
}

interface InRegion {
  readonly name: string;
  readonly buckets: readonly BucketInventory[];
  readonly lines: readonly Line[];
  /** 30/d. */
  readonly scale: Fraction;
  readonly metrics: AccountUsage['metrics'];
}

/** What the bill says of where the bytes of a region went, in GB a month. */
function trafficIn({ lines, scale }: InRegion): (of: Traffic) => Fraction {
  return (of) =>
    total(
      lines.filter(({ usageType }) => trafficOf(usageType) === of),
      'quantity',
    ).times(scale);
}

/** kG and kD of each class over the buckets that are not measured, before the raise. */
function apportionedByClass(region: InRegion): Map<string, Multiples> {
  const { buckets, lines, scale, metrics } = region;
  const measured = buckets.flatMap((bucket) => {
    const known = measuredOf(metrics.get(bucket.name));
    return known ? [{ bucket, multiples: measuredMultiples(bucket, known) }] : [];
  });
  const open = buckets.filter(({ name }) => measuredOf(metrics.get(name)) === null);
  const billed = (line: Line['line'], name: 'reads' | 'quantity', storageClass: string) =>
    total(
      lines.filter((one) => one.line === line && one.storageClass === storageClass),
      name,
    ).times(scale);
  const share = (storageClass: string, of: keyof Multiples, read: Fraction) => {
    const weightOf = (bucket: BucketInventory) => {
      const { objects, gb: stored } = weigh(ofClass(bucket, storageClass));
      return of === 'gets' ? objects : stored;
    };
    const taken = Fraction.sum(
      measured.map(({ bucket, multiples }) => weightOf(bucket).times(multiples[of])),
    );
    const weight = Fraction.sum(open.map(weightOf));
    return weight.isPositive() ? positive(read.minus(taken)).dividedBy(weight) : null;
  };
  return new Map(
    classesOf(buckets).map((storageClass) => {
      const gets = share(storageClass, 'gets', billed('get', 'reads', storageClass)) ?? ZERO;
      const retrieved = billed('retrieval', 'quantity', storageClass);
      const bytes = WITH_RETRIEVAL.has(storageClass)
        ? share(storageClass, 'bytes', retrieved)
        : null;
      return [storageClass, { gets, bytes: bytes ?? gets }];
    }),
  );
}

/** What is read of the buckets of a region that has lines on the bill. */
interface Read {
  readonly multiplesOf: (bucket: BucketInventory, storageClass: string) => Multiples;
  /** T_b, in GB. */
  readonly gbOf: (bucket: BucketInventory) => Fraction;
}

function readIn({ buckets, metrics }: InRegion, apportioned: ReadonlyMap<string, Multiples>): Read {
  const multiplesOf: Read['multiplesOf'] = (bucket, storageClass) => {
    const known = measuredOf(metrics.get(bucket.name));
    if (known) return measuredMultiples(bucket, known);
    return apportioned.get(storageClass) ?? { gets: ZERO, bytes: ZERO };
  };
  const gbOf = (bucket: BucketInventory) =>
    Fraction.sum(
      classesOf([bucket]).map((name) =>
        weigh(ofClass(bucket, name)).gb.times(multiplesOf(bucket, name).bytes),
      ),
    );
  const all = new Map(buckets.map((bucket) => [bucket.name, gbOf(bucket)]));
  return { multiplesOf, gbOf: ({ name }) => all.get(name) ?? ZERO };
}

const isOpen = ({ metrics }: InRegion, { name }: BucketInventory) =>
  measuredOf(metrics.get(name)) === null;

/** Bytes that left were read: kD is raised until all that left is in what was read. */
function raised(region: InRegion, before: ReadonlyMap<string, Multiples>): Map<string, Multiples> {
  const out = trafficIn(region);
  const left = Fraction.sum((['internet', 'contentNetwork', 'insideOut'] as const).map(out));
  const { gbOf } = readIn(region, before);
  const missing = left.minus(Fraction.sum(region.buckets.map(gbOf)));
  const open = region.buckets.filter((bucket) => isOpen(region, bucket));
  const weightOf = (names: readonly string[]) =>
    Fraction.sum(open.flatMap((bucket) => names.map((name) => weigh(ofClass(bucket, name)).gb)));
  const names = classesOf(open);
  const without = names.filter((name) => !WITH_RETRIEVAL.has(name));
  const chosen = weightOf(without).isPositive() ? without : names;
  const weight = weightOf(chosen);
  if (!missing.isPositive() || !weight.isPositive()) return new Map(before);
  const more = missing.dividedBy(weight);
  return new Map(
    [...before].map(([name, { gets, bytes }]) => [
      name,
      { gets, bytes: chosen.includes(name) ? bytes.plus(more) : bytes },
    ]),
  );
}

/** χ, ι and ω of a bucket whose region is on the bill. */
function sharesOf(
  region: InRegion,
  bucket: BucketInventory,
  { gbOf }: Read,
  arriving: Fraction,
): Pick<Reads, 'shares' | 'hasReadersInside'> {
  const out = trafficIn(region);
  const [internet, inside, writtenInside, writtenOutside] = (
    ['internet', 'insideOut', 'insideIn', 'outsideIn'] as const
  ).map(out) as [Fraction, Fraction, Fraction, Fraction];
  const all = Fraction.sum(region.buckets.map(gbOf));
  const here = gbOf(bucket);
  const showsInside = inside.isPositive() || writtenInside.isPositive();
  const written = writtenInside.plus(writtenOutside);
  const knowsWrites = showsInside && written.isPositive();
  const expected = shares(
    ratio(internet, all).min(ONE),
    ZERO,
    knowsWrites ? ratio(writtenInside, written) : ZERO,
  );
  const leftHere = here.min(positive(internet.minus(all.minus(here))));
  const rest = here.minus(leftHere);
  const readInside = ratio(showsInside ? rest.min(inside) : rest, here);
  const most = shares(
    ratio(leftHere, here),
    readInside,
    knowsWrites ? ratio(writtenInside, arriving).min(ONE) : ONE,
  );
  return {
    shares: { none: expected, expected, heavy: expected, inside: most },
    hasReadersInside: showsInside && readInside.isPositive(),
  };
}

/** u: what a GB to the internet costs by the bill. */
function paidPerGb({ name, lines }: InRegion): Fraction | null {
  const out = lines.filter(({ line }) => line === 'egress');
  const quantity = total(out, 'quantity');
  if (quantity.isBelow(ONE)) return null;
  const list = first(egressPerGb({ provider: AWS, region: name, storageClass: STANDARD }));
  return total(out, 'net').dividedBy(quantity).min(list);
}

function inRegion(
  region: InRegion,
  arrivingOf: (bucket: BucketInventory) => Fraction,
): readonly (readonly [string, Reads])[] {
  const { buckets, lines, metrics } = region;
  const isBilled = lines.length > 0;
  const apportioned = isBilled ? raised(region, apportionedByClass(region)) : new Map();
  const read = readIn(region, apportioned);
  const open = buckets.filter((bucket) => isOpen(region, bucket));
  const split = open.filter(({ groups }) => weigh(groups).objects.isPositive()).length > 1;
  const paid = isBilled ? paidPerGb(region) : null;
  /** Over all apportioned buckets. */
  const together = (storageClass: string): Known => {
    const { gets, bytes } = apportioned.get(storageClass) ?? { gets: ZERO, bytes: ZERO };
    const weights = open.map((bucket) => weigh(ofClass(bucket, storageClass)));
    return {
      gets: Fraction.sum(weights.map((weight) => weight.objects.times(gets))),
      gb: Fraction.sum(weights.map((weight) => weight.gb.times(bytes))),
    };
  };
  return buckets.map((bucket) => {
    const measured = measuredOf(metrics.get(bucket.name));
    if (measured === null && !isBilled) return [bucket.name, ASSUMED] as const;
    const weight = weigh(bucket.groups);
    const whole = measured && {
      gets: weight.objects.isPositive() ? measured.gets : ZERO,
      gb: weight.gb.isPositive() ? measured.gb : ZERO,
    };
    const reads: Reads = {
      ...ASSUMED,
      ...(isBilled ? sharesOf(region, bucket, read, arrivingOf(bucket)) : {}),
      source: measured ? 'measured' : 'apportioned',
      multiplesOf: (storageClass) => read.multiplesOf(bucket, storageClass),
      mostOf: whole ? () => whole : together,
      paidPerGb: paid,
      isSplit: measured === null && split,
    };
    return [bucket.name, reads] as const;
  });
}

/** The reads of each bucket by its name. `arrivingOf`: what arrives in a bucket in a month, in GB. */
export function readsOf(
  provider: ProviderName,
  buckets: readonly BucketInventory[],
  { bill, metrics }: AccountUsage,
  lines: readonly Line[],
  arrivingOf: (bucket: BucketInventory) => Fraction,
): ReadonlyMap<string, Reads> {
  if (provider !== AWS) return new Map(buckets.map(({ name }) => [name, ELSEWHERE]));
  const scale = monthScale(bill);
  const regions = [...new Set(buckets.map(({ region }) => region))];
  return new Map(
    regions.flatMap((name) => {
      const here = buckets.filter(({ region }) => region === name);
      const billed = lines.filter(({ region }) => region === name);
      return inRegion({ name, buckets: here, lines: billed, scale, metrics }, arrivingOf);
    }),
  );
}

/** Null for a bucket that could not be read. */
export function shownReads(
  bucket: BucketInventory & { readonly reads: Reads },
  provider: ProviderName,
): ReadsOfBucket | null {
  const { source, multiplesOf, shares: told } = bucket.reads;
  const counted = bucket.groups.filter(countsAt(provider));
  const sumOf = (of: (group: Group) => Fraction) =>
    Fraction.sum(counted.map((group) => of(group).times(expectedReads(group))));
  const gets = sumOf(({ objects, storageClass }) =>
    Fraction.of(objects).times(multiplesOf(storageClass).gets),
  );
  const bytes = sumOf((group) =>
    Fraction.of(group.bytes).times(multiplesOf(group.storageClass).bytes),
  );
  if (bucket.error !== null) return null;
  return {
    source,
    getsPerMonth: gets.toDecimals(0),
    bytesPerMonth: bytes.toDecimals(0),
    internetBytesPerMonth: bytes.times(told.expected.internet).toDecimals(0),
  };
}
