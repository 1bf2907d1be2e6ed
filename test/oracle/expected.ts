import type {
  Scenarios,
  Decision,
  DecisionReport,
  PlacementOption,
  Recommendation,
  Waiting,
} from '../../domain/decision/types.ts';
import type { AgeBand, SizeBand } from '../../domain/inventory/bands.ts';
import type { BucketInventory, Count } from '../../domain/inventory/inventory.ts';
import { answersOf, compareAnswers, type Answer, type Option } from './answers.ts';
import { findingsOf, sumFinding, type ExpectedFinding } from './findings.ts';
import * as costs from './costs.ts';
import type { Cost } from './costs.ts';
import { Fraction } from './fraction.ts';
import {
  AGES,
  addStatistics,
  compareUtf8,
  inventoryOf,
  REST,
  SIZES,
  type KindOf,
} from './inventory.ts';
import type { Listing } from './listing.ts';
import { currentOf, reportOf, type DecidedScan, type ExpectedReport } from './report.ts';
import { scanBytesOf } from './storage.ts';

const MOST_RECOMMENDATIONS = 200;

export type ExpectedRecommendation = Omit<Recommendation, 'reasons' | 'blockers' | 'howTo'> & {
  readonly blockers: readonly { readonly code: string; readonly objects: number }[];
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
  readonly error: BucketInventory['error'];
}

/** A scan's result, without its texts and ids. */
export interface ExpectedScan {
  readonly summary: Count &
    Pick<Decision, 'currentMonthlyCostUsd' | 'optimalMonthlyCostUsd' | 'monthlySavingsUsd'> & {
      readonly buckets: number;
      readonly workloadProfile: DecisionReport['workloadProfile'];
      readonly findings: readonly ExpectedFinding[];
    };
  readonly buckets: readonly ExpectedBucket[];
  readonly recommendations: readonly ExpectedRecommendation[];
  readonly decisionReport: ExpectedReport;
}

/** Section 7: midnight UTC of the day from which AWS may not charge for switching within the Union. */
const NO_CHARGE_FROM = Date.UTC(2027, 0, 12);
const UNION_REGIONS = new Set([
  'eu-central-1',
  'eu-west-1',
  'eu-west-3',
  'eu-north-1',
  'eu-south-1',
  'eu-south-2',
]);

function shownWaiting(
  { kind, region }: Answer,
  egress: Fraction,
  savings: Fraction,
  startedAt: Date,
): Waiting | null {
  const ms = NO_CHARGE_FROM - startedAt.getTime();
  if (kind !== 'move' || !UNION_REGIONS.has(region) || ms <= 0) return null;
  const months = Fraction.of(ms).dividedBy(Fraction.of(30 * 86_400_000));
  const savesUsd = egress.minus(savings.times(months)).toUsd();
  return savesUsd > 0 ? { until: '2027-01-12', savesUsd } : null;
}

function shownMonth({ monthly }: Cost): Scenarios {
  return {
    none: monthly.none.usd.toUsd(),
    expected: monthly.expected.usd.toUsd(),
    heavy: monthly.heavy.usd.toUsd(),
  };
}

function shownOption(option: Option, answer: Answer, listing: Listing): PlacementOption {
  const { staying } = answer;
  const { quote } = option.cost;
  const total = costs.quoteTotal(quote).usd;
  const withWaiver = total.minus(quote.egress.usd);
  const savings = costs.savings(staying, option.cost);
  const breakEven = (paid: Fraction): number | null =>
    savings.isPositive() ? paid.dividedBy(savings).toTenthsUp() : null;
  return {
    provider: option.provider,
    storageClass: option.storageClass,
    configured: listing.configured.includes(option.provider),
    monthlyCostUsd: option.cost.monthly.none.usd.toUsd(),
    monthlySavingsUsd: savings.toUsd(),
    placedMonthlyUsd: shownMonth(option.cost),
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
    breakEvenMonths: breakEven(total),
    breakEvenMonthsWithExitWaiver: breakEven(withWaiver),
    waiting: shownWaiting(answer, quote.egress.usd, savings, listing.startedAt),
  };
}

function shownRecommendation(answer: Answer, listing: Listing): ExpectedRecommendation {
  const current = answer.staying.monthly.none.usd;
  return {
    kind: answer.kind,
    bucket: answer.bucket,
    region: answer.region,
    selector: answer.selector,
    objects: answer.objects,
    bytes: answer.bytes,
    currentMonthlyCostUsd: current.toUsd(),
    optimalMonthlyCostUsd: current.minus(answer.savings).toUsd(),
    monthlySavingsUsd: answer.savings.toUsd(),
    stayMonthlyUsd: shownMonth(answer.staying),
    recommendedProvider: answer.taken?.provider ?? null,
    recommendedStorageClass: answer.taken?.storageClass ?? null,
    options: answer.options.map((option) => shownOption(option, answer, listing)),
    confidence: answer.confidenceTenths / 10,
    blockers: [
      { code: 'needs_restore', objects: answer.archivedObjects },
      { code: 'key_too_long', objects: answer.tooLongObjects },
      ...answer.tooLargeObjects.map((objects) => ({ code: 'object_too_large', objects })),
    ].filter(({ objects }) => objects > 0),
  };
}

/** The groups of a bucket summed by something, largest first, ties in UTF-8 order, the rest last. */
function summedBy(
  { groups }: BucketInventory,
  name: 'prefix' | 'storageClass',
): (Count & { name: string })[] {
  return [...new Set(groups.map((group) => group[name]))]
    .map((value) => {
      const { objects, bytes } = addStatistics(groups.filter((group) => group[name] === value));
      return { name: value, objects, bytes };
    })
    .sort(
      (a, b) =>
        Number(a.name === REST) - Number(b.name === REST) ||
        b.bytes - a.bytes ||
        compareUtf8(a.name, b.name),
    );
}

function shownBucket(
  decided: DecidedScan,
  bucket: BucketInventory,
  withoutSelector: readonly Answer[],
): ExpectedBucket {
  const { objects, bytes } = addStatistics(bucket.groups);
  const current = currentOf(decided.scan, bucket);
  const saved = Fraction.sum(
    decided.recommended
      .filter((answer) => answer.bucket === bucket.name)
      .map(({ savings }) => savings),
  );
  return {
    name: bucket.name,
    region: bucket.region,
    objects,
    bytes,
    currentMonthlyCostUsd: current.toUsd(),
    optimalMonthlyCostUsd: current.minus(saved).toUsd(),
    byStorageClass: summedBy(bucket, 'storageClass').map(({ name: storageClass, ...count }) =>
      Object.assign({ storageClass }, count),
    ),
    byAge: AGES.map((band, index) => {
      const aged = addStatistics(bucket.groups.filter(({ ageBand }) => ageBand === index));
      return { band, objects: aged.objects, bytes: aged.bytes };
    }),
    bySize: bucket.bySize.map((count, index) => ({ band: SIZES[index] ?? '>5GiB', ...count })),
    byContent: bucket.byContent,
    byPrefix: summedBy(bucket, 'prefix').map(({ name: prefix, ...count }) =>
      Object.assign({ prefix }, count),
    ),
    findings: findingsOf(decided.scan, bucket, withoutSelector),
    error: bucket.error,
  };
}

/** The expected result of a scan of the listing. `kindOf` is only for `byContent`. */
export function expectedOf(listing: Listing, kindOf?: KindOf): ExpectedScan {
  const buckets = inventoryOf(listing, kindOf).sort((a, b) => compareUtf8(a.name, b.name));
  const scan = scanBytesOf(buckets);
  const found = buckets.map((bucket) => answersOf(scan, bucket, listing.horizonMonths));
  const minimum = Fraction.of(listing.minMonthlySavingsUsd);
  const answers = found.flatMap((bucket) => bucket.answers).sort(compareAnswers);
  const worthwhile = answers.filter(({ savings }) => !savings.isBelow(minimum));
  const recommended = worthwhile.slice(0, MOST_RECOMMENDATIONS);
  const decided = { scan, buckets, recommended, horizonMonths: listing.horizonMonths };
  const report = reportOf(decided);
  const { objects, bytes } = addStatistics(buckets.flatMap(({ groups }) => groups));
  return {
    summary: {
      buckets: buckets.length,
      objects,
      bytes,
      currentMonthlyCostUsd: report.currentMonthlyCostUsd,
      optimalMonthlyCostUsd: report.optimalMonthlyCostUsd,
      monthlySavingsUsd: Fraction.sum(recommended.map(({ savings }) => savings)).toUsd(),
      workloadProfile: report.workloadProfile,
      findings: [
        ...sumFinding(
          'below_minimum',
          answers.filter(({ savings }) => savings.isBelow(minimum)),
        ),
        ...sumFinding('more_recommendations', worthwhile.slice(MOST_RECOMMENDATIONS)),
      ],
    },
    buckets: buckets.map((bucket, index) =>
      shownBucket(decided, bucket, found[index]?.withoutSelector ?? []),
    ),
    recommendations: recommended.map((answer) => shownRecommendation(answer, listing)),
    decisionReport: report,
  };
}
