import { sumBy } from '../common/sums.ts';
import type { Scenarios } from '../reads/scenarios.ts';
import type { CostedObjects } from '../inventory/finding.ts';
import { describePayback, formatBytes, formatCount, formatMoney } from '../../shared/amounts.ts';
import { AGE_BANDS } from '../inventory/bands.ts';
import { listAssumptions } from './assumptions.ts';
import { listLeftAlone } from './left-alone.ts';
import type { DecisionContext, PricedBucket, PricedRecommendation } from './model.ts';
import { accountTitle } from './scenarios.ts';
import { listRisks } from './risks.ts';
import { breakEvenMonths, shown } from './amounts.ts';
import type {
  BillSummary,
  DecisionReport,
  ExitScenario,
  Placement,
  Verdict,
  WorkloadProfile,
} from './types.ts';

export interface ReportTerms {
  readonly context: DecisionContext;
  readonly priceBook: string;
  readonly buckets: readonly PricedBucket[];
  readonly bill: BillSummary | null;
  readonly recommendations: readonly PricedRecommendation[];
  /** Per month and unrounded, of all that the scan found; and the part that is certain. */
  readonly stay: Scenarios;
  readonly currentUsd: number;
  readonly savingsUsd: number;
  /** The objects that migrations have copied and the source still holds. */
  readonly copied: CostedObjects;
  readonly confidence: number | null;
  readonly exitScenario: ExitScenario | null;
}

/** The decision as a whole. */
export function buildReport(terms: ReportTerms): DecisionReport {
  const { context, buckets, recommendations, stay, currentUsd, savingsUsd } = terms;
  const oneOffUsd = sumBy(recommendations, (one) => one.oneOffUsd);
  const bytesByBand = currentBytesByBand(buckets);
  const bytes = sumBy(bytesByBand, (ofBand) => ofBand);
  const verdict = chooseVerdict(buckets, recommendations, bytes);
  const readScenarios = (['none', 'expected'] as const).map((reads) => ({
    reads,
    title: accountTitle(reads, buckets),
    stayMonthlyUsd: shown(stay[reads]),
    optimalMonthlyUsd: shown(
      stay[reads] - sumBy(recommendations, ({ saved }) => saved[reads]),
      stay[reads],
    ),
  }));
  return {
    workloadProfile: classifyWorkload(bytesByBand, bytes),
    verdict,
    confidence: terms.confidence,
    leftAlone: listLeftAlone(buckets),
    reasons: listReasons(terms, verdict, oneOffUsd, bytes),
    risks: listRisks(context, buckets, recommendations),
    assumptions: listAssumptions(buckets, context.targets, terms.bill),
    horizonMonths: context.horizonMonths,
    priceBook: terms.priceBook,
    currentMonthlyCostUsd: shown(currentUsd),
    optimalMonthlyCostUsd: shown(currentUsd - savingsUsd, currentUsd),
    oneOffCostUsd: shown(oneOffUsd),
    breakEvenMonths: breakEvenMonths(oneOffUsd, savingsUsd),
    savings12MonthsUsd: shown(12 * savingsUsd - oneOffUsd, Math.max(12 * currentUsd, oneOffUsd)),
    readScenarios,
    exitScenario: terms.exitScenario,
    placements: recommendations.flatMap((one) => toPlacement(context, one)),
  };
}

function currentBytesByBand(buckets: readonly PricedBucket[]): readonly number[] {
  const totals = buckets.flatMap((bucket) => bucket.totals);
  return AGE_BANDS.map((_, band) =>
    sumBy(
      totals.filter(({ ageBand }) => ageBand === band),
      ({ statistics }) => statistics.bytes,
    ),
  );
}

/**
 * | at least 60 % of the bytes are | profile   |
 * |--------------------------------|-----------|
 * | younger than 30 days           | `active`  |
 * | older than a year              | `archive` |
 * | older than 90 days             | `cold`    |
 * | else, and without any bytes    | `mixed`   |
 */
function classifyWorkload(bytesByBand: readonly number[], bytes: number): WorkloadProfile {
  const [young = 0, , old = 0, oldest = 0] = bytesByBand;
  const isMost = (part: number) => bytes > 0 && part * 5 >= bytes * 3;
  if (isMost(young)) return 'active';
  if (isMost(oldest)) return 'archive';
  if (isMost(old + oldest)) return 'cold';
  return 'mixed';
}

/**
 * | recommended                         | verdict             |
 * |-------------------------------------|---------------------|
 * | moves of at least 80 % of all bytes | `migrate`           |
 * | any move                            | `migrate_partly`    |
 * | changes or clean-ups                | `optimize_in_place` |
 * | nothing, as no bucket could be read | `nothing_read`      |
 * | nothing                             | `stay`              |
 */
function chooseVerdict(
  buckets: readonly PricedBucket[],
  recommendations: readonly PricedRecommendation[],
  bytes: number,
): Verdict {
  if (buckets.length > 0 && buckets.every(({ inventory }) => inventory.error))
    return 'nothing_read';
  if (recommendations.length === 0) return 'stay';
  if (!recommendations.some(isMove)) return 'optimize_in_place';
  return movedBytes(recommendations) * 5 >= bytes * 4 ? 'migrate' : 'migrate_partly';
}

function movedBytes(recommendations: readonly PricedRecommendation[]): number {
  return sumBy(recommendations.filter(isMove), ({ candidate }) => candidate.bytes);
}

function isMove({ candidate }: PricedRecommendation): boolean {
  return candidate.kind === 'move';
}

function listReasons(
  { recommendations, currentUsd, savingsUsd, copied }: ReportTerms,
  verdict: Verdict,
  oneOffUsd: number,
  bytes: number,
): readonly string[] {
  const share = `${formatBytes(movedBytes(recommendations))} of ${formatBytes(bytes)}`;
  const why: Readonly<Record<Verdict, string>> = {
    migrate: `Moving ${share} pays off within the horizon.`,
    migrate_partly: `Moving ${share} pays off within the horizon.`,
    optimize_in_place:
      'No move pays off within the horizon, but the same store can hold it for less.',
    stay: 'No change saves enough to be worth it.',
    nothing_read: 'No bucket could be read, so nothing can be said of the account.',
  };
  const effect =
    recommendations.length === 0
      ? [`Storage costs ${formatMoney(currentUsd)} a month.`]
      : [
          `${formatCount(recommendations.length, 'recommendation')} would save ${formatMoney(savingsUsd)} of ${formatMoney(currentUsd)} a month.`,
          `They cost ${formatMoney(oneOffUsd)} once, ${describePayback(breakEvenMonths(oneOffUsd, savingsUsd))}.`,
        ];
  const alreadyCopied =
    copied.objects > 0
      ? [
          `${formatBytes(copied.bytes)} is already copied and still at the source, for ${formatMoney(copied.monthlyCostUsd)} a month.`,
        ]
      : [];
  return [why[verdict], ...effect, ...alreadyCopied];
}

function toPlacement(
  { source }: DecisionContext,
  { candidate, fromClass, recommendation }: PricedRecommendation,
): readonly Placement[] {
  const { recommendedProvider, recommendedStorageClass } = recommendation;
  if (!recommendedProvider || !recommendedStorageClass) return [];
  return [
    {
      bucket: recommendation.bucket,
      selector: recommendation.selector,
      from: { provider: source, storageClass: fromClass },
      to: { provider: recommendedProvider, storageClass: recommendedStorageClass },
      objects: candidate.objects,
      bytes: candidate.bytes,
      monthlySavingsUsd: recommendation.monthlySavingsUsd,
    },
  ];
}
