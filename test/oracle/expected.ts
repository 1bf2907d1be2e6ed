import type { AccountUsage } from '../../domain/bill/bill.ts';
import type {
  Decision,
  DecisionReport,
  PlacementOption,
  ReadsOfBucket,
  Recommendation,
} from '../../domain/decision/types.ts';
import type { AgeBand, SizeBand } from '../../domain/inventory/bands.ts';
import type { BucketInventory, Count } from '../../domain/inventory/inventory.ts';
import {
  answersOf,
  compareAnswers,
  counted,
  shareEgress,
  type Answer,
  type Option,
} from './answers.ts';
import { discountOf, linesOf } from './bill.ts';
import * as billed from './bill-summary.ts';
import * as costs from './costs.ts';
import { findingsOf, sumFinding, type ExpectedFinding } from './findings.ts';
import { Fraction } from './fraction.ts';
import { AGES, compareUtf8, inventoryOf, REST, SIZES, type KindOf } from './inventory.ts';
import type { Listing } from './listing.ts';
import { currentOf, reportOf, type DecidedScan, type ExpectedReport } from './report.ts';
import { AWS, defaultRegion, floorUsd, freeReads, gb } from './prices.ts';
import { ASSUMED, readsOf, shownReads } from './reads.ts';
import { locate, rawBytesOf, tiersOf, type Bucket, type Scan } from './storage.ts';

const NO_USAGE: AccountUsage = { bill: null, metrics: new Map() };
const MOST_RECOMMENDATIONS = 200;

interface ExpectedBlocker {
  readonly code: string;
  readonly objects: number;
}

export type ExpectedRecommendation = Omit<
  Recommendation,
  'reasons' | 'blockers' | 'howTo' | 'options'
> & {
  readonly blockers: readonly ExpectedBlocker[];
  readonly options: readonly (Omit<PlacementOption, 'blockers'> & {
    readonly blockers: readonly ExpectedBlocker[];
  })[];
};

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

/** Section 7: midnight UTC of the day from which AWS may not charge for switching within the Union. */
const NO_CHARGE_FROM = Date.UTC(2027, 0, 12);
const UNION_REGIONS = 'eu-central-1 eu-west-1 eu-west-3 eu-north-1 eu-south-1 eu-south-2'.split(
  ' ',
);

function shownWaiting(
  { kind, region }: Answer,
  egress: Fraction,
  savings: Fraction,
  { startedAt, source = AWS }: Listing,
) {
  const ms = NO_CHARGE_FROM - startedAt.getTime();
  if (source !== AWS || kind !== 'move' || !UNION_REGIONS.includes(region) || ms <= 0) return null;
  const months = Fraction.of(ms).dividedBy(Fraction.of(30 * 86_400_000));
  const savesUsd = egress.minus(savings.times(months)).toUsd();
  return savesUsd > 0 ? { until: '2027-01-12', savesUsd } : null;
}

const shownMonth = ({ monthly: { none, expected, heavy } }: costs.Cost) => ({
  none: none.usd.toUsd(),
  expected: expected.usd.toUsd(),
  heavy: heavy.usd.toUsd(),
});

/** The least that a store charges is above what would be there: the option, and the other moves recommended to it. */
function isBelowFloor({ provider, cost }: Option, answer: Answer, all: readonly Answer[]): boolean {
  const others = all.filter((one) => one !== answer && one.kind === 'move');
  const there = others.flatMap(({ taken }) => (taken?.provider === provider ? [taken.cost] : []));
  const month = Fraction.sum([cost, ...there].map(({ monthly }) => monthly.none.usd));
  return month.isBelow(floorUsd(provider));
}

const shownBlockers = (blocked: Answer['blocked']): readonly ExpectedBlocker[] =>
  blocked.flatMap(([code, left]) => (left > 0 ? [{ code, objects: left }] : []));

function shownOption(option: Option, answer: Answer, listing: Listing, all: readonly Answer[]) {
  const { provider, storageClass, cost, blocked } = option;
  const { quote, monthly } = cost;
  const total = costs.quoteTotal(quote).usd;
  const withWaiver = total.minus(quote.egress.usd);
  const savings = costs.savings(answer.staying, cost);
  return {
    provider,
    storageClass,
    configured: listing.configured.includes(provider),
    monthlyCostUsd: monthly.none.usd.toUsd(),
    monthlySavingsUsd: savings.toUsd(),
    placedMonthlyUsd: shownMonth(cost),
    quote: {
      egressUsd: quote.egress.usd.toUsd(),
      sourceRequestsUsd: quote.sourceRequests.usd.toUsd(),
      retrievalUsd: quote.retrieval.usd.toUsd(),
      earlyDeletionUsd: quote.earlyDeletion.usd.toUsd(),
      destinationRequestsUsd: quote.destinationRequests.usd.toUsd(),
      transitionUsd: quote.transition.usd.toUsd(),
      totalUsd: total.toUsd(),
      totalWithExitWaiverUsd: withWaiver.toUsd(),
    },
    breakEvenMonths: costs.breakEven(total, savings),
    breakEvenMonthsWithExitWaiver: costs.breakEven(withWaiver, savings),
    waiting: shownWaiting(answer, quote.egress.usd, savings, listing),
    blockers: shownBlockers([
      ...blocked,
      [
        'below_floor',
        answer.kind === 'move' && isBelowFloor(option, answer, all) ? answer.objects : 0,
      ],
    ]),
  };
}

function shownRecommendation(
  answer: Answer,
  listing: Listing,
  all: readonly Answer[],
): ExpectedRecommendation {
  const { kind, bucket, region, selector, objects, bytes, staying, taken, savings } = answer;
  const current = staying.monthly.none.usd;
  return {
    kind,
    bucket,
    region,
    selector,
    objects,
    bytes,
    currentMonthlyCostUsd: current.toUsd(),
    optimalMonthlyCostUsd: current.minus(savings).toUsd(),
    monthlySavingsUsd: savings.toUsd(),
    stayMonthlyUsd: shownMonth(staying),
    recommendedProvider: taken?.provider ?? null,
    recommendedStorageClass: taken?.storageClass ?? null,
    options: answer.options.map((option) => shownOption(option, answer, listing, all)),
    confidence: answer.confidenceTenths / 10,
    blockers: shownBlockers(answer.blocked),
  };
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
  withoutSelector: readonly Answer[],
): ExpectedBucket {
  const { name, region, groups, bySize, byContent, error } = bucket;
  const current = currentOf(scan, bucket);
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
    findings: findingsOf(scan, bucket, withoutSelector),
    reads: shownReads(bucket, scan.source),
    error,
  };
}

/** What is known before anything is decided: section 8 of the pricing rules is in the scan and in the buckets. */
function scanOf(listing: Listing, kindOf?: KindOf) {
  const { usage = NO_USAGE, horizonMonths, source = AWS } = listing;
  const lines = linesOf(usage.bill);
  const found = inventoryOf(listing, kindOf).sort((a, b) => compareUtf8(a.name, b.name));
  const reads = readsOf(found, usage, lines);
  const buckets = found.map((bucket) => {
    const tiered = tiersOf(bucket, usage.metrics.get(bucket.name)?.tiers ?? null);
    return locate(source, bucket, reads.get(bucket.name) ?? ASSUMED, tiered);
  });
  const listed = billed.listedGb(buckets);
  const isLittleExplained =
    billed.explainedShare(lines, listed)?.isBelow(Fraction.of('0.7')) ?? false;
  const all = [
    ...buckets.flatMap(({ groups, oldVersions, incompleteUploads }) => [
      ...groups,
      ...oldVersions,
      incompleteUploads,
    ]),
  ];
  const stored = gb(
    source,
    all.reduce((total, { bytes }) => total + BigInt(bytes), 0n),
  );
  const own = (target: string) =>
    listing.configured.includes(target) ? listing.regions?.[target] : undefined;
  const scan: Scan = {
    source,
    regionOf: (target) => own(target) ?? defaultRegion(target),
    freeGb: freeReads(source).times(stored),
    leftOut: new Set(),
    bytes: rawBytesOf(buckets),
    horizonMonths: Fraction.of(horizonMonths),
    discount: discountOf(lines),
    isLittleExplained,
  };
  const bill = usage.bill && billed.summaryOf(usage.bill, lines, listed);
  return { scan, buckets, bill };
}

/** The stores whose recommended moves together cost less than their floor. */
function storesBelowFloor(recommended: readonly Answer[]): readonly string[] {
  const moves = recommended.flatMap(({ kind, taken }) => (kind === 'move' && taken ? [taken] : []));
  return [...new Set(moves.map(({ provider }) => provider))].filter((store) => {
    const there = moves.filter(({ provider }) => provider === store);
    return Fraction.sum(there.map(({ cost }) => cost.monthly.none.usd)).isBelow(floorUsd(store));
  });
}

/** What is recommended, decided again without the stores that stay below their floor until none does. */
function decideAll(scan: Scan, buckets: readonly Bucket[], listing: Listing) {
  const found = buckets.map((bucket) => answersOf(scan, bucket));
  const minimum = Fraction.of(listing.minMonthlySavingsUsd);
  const answers = found.flatMap((bucket) => bucket.answers).sort(compareAnswers);
  const isWorthwhile = ({ savings }: Answer) => !savings.isBelow(minimum);
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
      shownBucket(decided, bucket, found[index]?.withoutSelector ?? []),
    ),
    recommendations: recommended.map((answer) => shownRecommendation(answer, listing, recommended)),
    decisionReport: { ...report, horizonMonths: listing.horizonMonths },
  };
}
