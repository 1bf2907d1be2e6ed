import type { AccountUsage } from '../../domain/bill/bill.ts';
import type { Decision, DecisionReport, ReadsOfBucket } from '../../domain/decision/types.ts';
import type { AgeBand, SizeBand } from '../../domain/inventory/bands.ts';
import type { BucketInventory, Count } from '../../domain/inventory/inventory.ts';
import { answersOf, compareAnswers, counted, shareEgress, type Answer } from './answers.ts';
import { discountOf, linesOf } from './bill.ts';
import * as billed from './bill-summary.ts';
import { findingsOf, sumFinding, type ExpectedFinding } from './findings.ts';
import type { Undecided } from './moves.ts';
import { current as presentOf } from './placements.ts';
import { Fraction } from './fraction.ts';
import { AGES, compareUtf8, inventoryOf, REST, SIZES, type KindOf } from './inventory.ts';
import type { Listing } from './listing.ts';
import { reportOf, type DecidedScan, type ExpectedReport } from './report.ts';
import { AWS, defaultRegion, floorUsd, freeReads, gb, isArchived } from './prices.ts';
import { bytesOf } from './quote.ts';
import { shownRecommendation, type ExpectedRecommendation } from './recommendations.ts';
import { readsOf, shownReads } from './reads.ts';
import {
  ageMsOf,
  isAtLeast,
  locate,
  rawBytesOf,
  tiersOf,
  YOUNG_DAYS,
  type Bucket,
  type Scan,
} from './storage.ts';

const NO_USAGE: AccountUsage = { bill: null, metrics: new Map() };
const MOST_RECOMMENDATIONS = 200;

export interface ExpectedBucket extends Count {
  readonly name: string;
  readonly region: string;
  readonly currentMonthlyCostUsd: number;
  readonly optimalMonthlyCostUsd: number;
  readonly byStorageClass: readonly (Count & { readonly storageClass: string })[];
  readonly byAge: readonly (Count & { readonly band: AgeBand })[];
  readonly bySize: readonly (Count & { readonly band: SizeBand })[];
  readonly byContent: BucketInventory['byContent'];
  readonly byPrefix: readonly (Count & { readonly prefix: string })[];
  readonly findings: readonly ExpectedFinding[];
  readonly reads: ReadsOfBucket | null;
  readonly error: BucketInventory['error'];
}

/** A scan's result, without its texts and ids. */
export interface ExpectedScan {
  readonly summary: Count &
    Pick<
      Decision,
      'currentMonthlyCostUsd' | 'optimalMonthlyCostUsd' | 'monthlySavingsUsd' | 'bill'
    > & {
      readonly buckets: number;
      readonly workloadProfile: DecisionReport['workloadProfile'];
      readonly findings: readonly ExpectedFinding[];
    };
  readonly buckets: readonly ExpectedBucket[];
  readonly recommendations: readonly ExpectedRecommendation[];
  readonly decisionReport: ExpectedReport & Pick<DecisionReport, 'horizonMonths'>;
}

/** The groups of a bucket summed by something, largest first, ties in UTF-8 order, the rest last. */
function summedBy({ groups }: Bucket, name: 'prefix' | 'storageClass') {
  return [...new Set(groups.map((group) => group[name]))]
    .map((value) =>
      Object.assign({ value }, counted(groups.filter((group) => group[name] === value))),
    )
    .sort(
      (a, b) =>
        Number(a.value === REST) - Number(b.value === REST) ||
        b.bytes - a.bytes ||
        compareUtf8(a.value, b.value),
    );
}

function shownBucket(
  { scan, recommended }: DecidedScan,
  bucket: Bucket,
  found: { readonly withoutSelector: readonly Answer[]; readonly undecided: readonly Undecided[] },
  leastOfMoves: number,
): ExpectedBucket {
  const { name, region, groups, bySize, byContent, error } = bucket;
  const current = presentOf(scan, bucket);
  const own = recommended.filter((answer) => answer.bucket === name);
  const saved = Fraction.sum(own.map(({ savings }) => savings));
  const ofAge = (index: number) => groups.filter(({ ageBand }) => ageBand === index);
  return {
    name,
    region,
    ...counted(groups),
    currentMonthlyCostUsd: current.toUsd(),
    optimalMonthlyCostUsd: current.minus(saved).toUsd(),
    byStorageClass: summedBy(bucket, 'storageClass').map(({ value: storageClass, ...count }) =>
      Object.assign({ storageClass }, count),
    ),
    byAge: AGES.map((band, index) => Object.assign({ band }, counted(ofAge(index)))),
    bySize: SIZES.map((band, index) =>
      Object.assign({ band }, counted(bySize.slice(index, index + 1))),
    ),
    byContent,
    byPrefix: summedBy(bucket, 'prefix').map(({ value: prefix, ...count }) =>
      Object.assign({ prefix }, count),
    ),
    findings: findingsOf(scan, bucket, found.withoutSelector, found.undecided, leastOfMoves),
    reads: shownReads(bucket, scan.source),
    error,
  };
}

/** Section 3: B0 of a whole bucket, in GB; archived classes left out, and nothing where it is young. */
function arrivingGb(bucket: BucketInventory, startedAt: Date): Fraction {
  const isYoung = !isAtLeast({ ageMs: ageMsOf(bucket, startedAt) }, YOUNG_DAYS);
  const young = bucket.groups.filter(
    ({ ageBand, storageClass }) => ageBand === 0 && !isArchived({ provider: AWS, storageClass }),
  );
  return isYoung ? Fraction.ZERO : gb(AWS, bytesOf(young));
}

/** What is known before anything is decided: section 8 of the pricing rules is in the scan and in the buckets. */
function scanOf(listing: Listing, kindOf?: KindOf) {
  const { usage = NO_USAGE, horizonMonths, source = AWS } = listing;
  const lines = linesOf(usage.bill);
  const discount = discountOf(lines);
  const found = inventoryOf(listing, kindOf).sort((a, b) => compareUtf8(a.name, b.name));
  const arriving = (bucket: BucketInventory) => arrivingGb(bucket, listing.startedAt);
  const reads = readsOf(source, found, usage, lines, arriving);
  const buckets = found.map((bucket) => {
    const own = reads.get(bucket.name);
    if (own === undefined) throw new Error(`no reads of ${bucket.name}`);
    const tiered = tiersOf(bucket, usage.metrics.get(bucket.name)?.tiers ?? null, discount);
    return locate(source, bucket, listing.startedAt, own, tiered);
  });
  const listed = billed.listedGb(buckets);
  const isLittleExplained =
    billed.explainedShare(lines, listed)?.isBelow(Fraction.of('0.7')) ?? false;
  const all = buckets
    .map(({ groups, oldVersions, incompleteUploads }) => [groups, oldVersions, incompleteUploads])
    .flat(2);
  const stored = gb(
    source,
    all.reduce((total, { bytes }) => total + BigInt(bytes), 0n),
  );
  const own = (target: string) =>
    listing.configured.includes(target) ? listing.regions?.[target] : undefined;
  const scan: Scan = {
    source,
    startedAt: listing.startedAt,
    regionOf: (target) => own(target) ?? defaultRegion(target),
    freeGb: freeReads(source).times(stored),
    leftOut: new Set(),
    bytes: rawBytesOf(buckets),
    horizonMonths: Fraction.of(horizonMonths),
    discount,
    isLittleExplained,
    hasOwnPrices: billed.factorsOf(lines).length > 0,
  };
  const bill = usage.bill && billed.summaryOf(usage.bill, lines, listed);
  return { scan, buckets, bill };
}

/** The stores whose recommended moves together cost less than their floor. */
function storesBelowFloor(recommended: readonly Answer[]): readonly string[] {
  const moves = recommended.flatMap(({ kind, taken }) => (kind === 'move' && taken ? [taken] : []));
  return [...new Set(moves.map(({ provider }) => provider))].filter((store) => {
    const there = moves.filter(({ provider }) => provider === store);
    return Fraction.sum(there.map(({ cost }) => cost.shown.usd)).isBelow(floorUsd(store));
  });
}

/** What is recommended, decided again without the stores that stay below their floor until none does. */
function decideAll(scan: Scan, buckets: readonly Bucket[], listing: Listing) {
  const found = buckets.map((bucket) => answersOf(scan, bucket));
  const [minimum, leastOfMoves] = [
    listing.minMonthlySavingsUsd,
    listing.minMoveMonthlySavingsUsd,
  ].map(Fraction.of) as [Fraction, Fraction];
  const answers = found.flatMap((bucket) => bucket.answers).sort(compareAnswers);
  const isWorthwhile = ({ kind, savings }: Answer) =>
    !savings.isBelow(kind === 'move' ? leastOfMoves : minimum);
  const worthwhile = answers.filter(isWorthwhile);
  const listed = worthwhile.slice(0, MOST_RECOMMENDATIONS);
  const below = storesBelowFloor(listed);
  if (below.length > 0)
    return decideAll({ ...scan, leftOut: new Set([...scan.leftOut, ...below]) }, buckets, listing);
  const tooLittle = answers.filter((answer) => !isWorthwhile(answer));
  return { found, worthwhile, tooLittle, recommended: shareEgress(scan, listed) };
}

/** The expected result of a scan of the listing. `kindOf` is only for `byContent`. */
export function expectedOf(listing: Listing, kindOf?: KindOf): ExpectedScan {
  const { scan, buckets, bill } = scanOf(listing, kindOf);
  const { found, worthwhile, tooLittle, recommended } = decideAll(scan, buckets, listing);
  const decided = { scan, buckets, recommended };
  const report = reportOf(decided);
  return {
    summary: {
      buckets: buckets.length,
      ...counted(buckets.flatMap(({ groups }) => groups)),
      currentMonthlyCostUsd: report.currentMonthlyCostUsd,
      optimalMonthlyCostUsd: report.optimalMonthlyCostUsd,
      monthlySavingsUsd: Fraction.sum(recommended.map(({ savings }) => savings)).toUsd(),
      bill,
      workloadProfile: report.workloadProfile,
      findings: [
        ...sumFinding('below_minimum', tooLittle),
        ...sumFinding('more_recommendations', worthwhile.slice(MOST_RECOMMENDATIONS)),
      ],
    },
    buckets: buckets.map((bucket, index) =>
      shownBucket(
        decided,
        bucket,
        found[index] ?? { withoutSelector: [], undecided: [] },
        listing.minMoveMonthlySavingsUsd,
      ),
    ),
    recommendations: recommended.map((answer) => shownRecommendation(answer, listing, recommended)),
    decisionReport: { ...report, horizonMonths: listing.horizonMonths },
  };
}
