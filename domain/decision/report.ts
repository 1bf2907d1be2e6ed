import type { DecisionReport, Placement, Verdict, WorkloadProfile } from './answer.ts';
import type { Asker } from './answers.ts';
import { assumptionsOf } from './assumptions.ts';
import type { PricedBucket, Scales } from './bucket.ts';
import { confidenceOfStaying } from './confidence.ts';
import { exitScenarioOf } from './exit.ts';
import { SCENARIOS, type Scenarios } from './rates.ts';
import type { Advice } from './recommendations.ts';
import { risksOf } from './risks.ts';
import { breakEvenMonths, shown } from './rounding.ts';
import type { Stock } from './stock.ts';
import { BAND_COUNT } from './table.ts';
import { count, months, size, usd } from './words.ts';

export interface ReportTerms {
  readonly scales: Scales;
  readonly asker: Asker;
  readonly priceBook: string;
  readonly buckets: readonly PricedBucket[];
  readonly advice: readonly Advice[];
  /** Of everything there is, per month and unrounded; clean-ups included. */
  readonly stay: Scenarios;
  /** What migrations have copied and the source still holds. */
  readonly copied: Stock['copied'];
  readonly savingsUsd: number;
}

/** The scan's answer as a whole, for a person. */
export function reportOf(terms: ReportTerms): DecisionReport {
  const { scales, buckets, advice, stay, savingsUsd } = terms;
  const onceUsd = sumOf(advice, ({ onceUsd: usdOnce }) => usdOnce);
  const bytesByBand = currentBytes(buckets);
  const bytes = bytesByBand.reduce((sum, ofBand) => sum + ofBand, 0);
  const verdict = verdictOf(advice, bytes);
  const readScenarios = SCENARIOS.map((reads) => ({
    reads,
    stayMonthlyUsd: shown(stay[reads]),
    optimalMonthlyUsd: shown(stay[reads] - sumOf(advice, ({ saved }) => saved[reads])),
  }));
  return {
    workloadProfile: profileOf(bytesByBand, bytes),
    verdict,
    confidence:
      advice.length > 0
        ? Math.min(...advice.map(({ recommendation }) => recommendation.confidence))
        : confidenceOfStaying(scales, buckets),
    reasons: reasonsOf(terms, verdict, onceUsd, bytes),
    risks: risksOf({ ...terms, readScenarios }),
    assumptions: assumptionsOf(buckets, scales.targets),
    horizonMonths: scales.horizonMonths,
    priceBook: terms.priceBook,
    currentMonthlyCostUsd: shown(stay.none),
    optimalMonthlyCostUsd: shown(stay.none - savingsUsd),
    oneOffCostUsd: shown(onceUsd),
    breakEvenMonths: breakEvenMonths(onceUsd, savingsUsd),
    savings12MonthsUsd: shown(12 * savingsUsd - onceUsd),
    readScenarios,
    exitScenario: exitScenarioOf(scales, buckets),
    placements: advice.flatMap((one) => placementOf(terms.asker, one)),
  };
}

function currentBytes(buckets: readonly PricedBucket[]): readonly number[] {
  const byBand = Array.from({ length: BAND_COUNT }, () => 0);
  for (const { table } of buckets) {
    for (const [at, tally] of table.whole.entries()) {
      const band = at % BAND_COUNT;
      byBand[band] = (byBand[band] ?? 0) + (tally?.bytes ?? 0);
    }
  }
  return byBand;
}

/**
 * | at least 60 % of the bytes are | profile   |
 * |--------------------------------|-----------|
 * | younger than 30 days           | `active`  |
 * | older than a year              | `archive` |
 * | older than 90 days             | `cold`    |
 * | else, and where nothing is     | `mixed`   |
 */
function profileOf(byBand: readonly number[], bytes: number): WorkloadProfile {
  const [young = 0, , old = 0, oldest = 0] = byBand;
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
 * | nothing                             | `stay`              |
 */
function verdictOf(advice: readonly Advice[], bytes: number): Verdict {
  if (advice.length === 0) return 'stay';
  const moves = advice.filter(({ answer }) => answer.kind === 'move');
  if (moves.length === 0) return 'optimize_in_place';
  return movedBytes(moves) * 5 >= bytes * 4 ? 'migrate' : 'migrate_partly';
}

function movedBytes(moves: readonly Advice[]): number {
  return sumOf(moves, ({ answer }) => (answer.kind === 'move' ? answer.bytes : 0));
}

function reasonsOf(
  { advice, stay, savingsUsd, copied }: ReportTerms,
  verdict: Verdict,
  onceUsd: number,
  bytes: number,
): readonly string[] {
  const moved = `${size(movedBytes(advice))} of ${size(bytes)}`;
  const why: Readonly<Record<Verdict, string>> = {
    migrate: `Most of it is cheaper elsewhere: moving ${moved} pays within the horizon.`,
    migrate_partly: `A part of it is cheaper elsewhere: moving ${moved} pays within the horizon.`,
    optimize_in_place: 'No move pays within the horizon, but the same store can hold it for less.',
    stay: 'Nothing that could be done saves enough to be worth it.',
  };
  const done =
    copied.objects > 0
      ? [
          `${size(copied.bytes)} of it is copied already; deleting that at the source saves ${usd(copied.storageUsd)} USD a month.`,
        ]
      : [];
  if (advice.length === 0) {
    return [why[verdict], `What is there costs ${usd(stay.none)} USD a month.`, ...done];
  }
  const pays = breakEvenMonths(onceUsd, savingsUsd);
  return [
    why[verdict],
    `${count(advice.length, 'recommendation')} would save ${usd(savingsUsd)} of ${usd(stay.none)} USD a month.`,
    `They cost ${usd(onceUsd)} USD once${pays === null ? '' : `, paid for after ${months(pays)}`}.`,
    ...done,
  ];
}

function placementOf(
  { source }: Asker,
  { answer, fromClass, recommendation }: Advice,
): Placement[] {
  const { recommendedProvider, recommendedStorageClass } = recommendation;
  if (!recommendedProvider || !recommendedStorageClass) return [];
  return [
    {
      bucket: recommendation.bucket,
      selector: recommendation.selector,
      from: { provider: source, storageClass: fromClass },
      to: { provider: recommendedProvider, storageClass: recommendedStorageClass },
      objects: answer.objects,
      bytes: answer.bytes,
      monthlySavingsUsd: recommendation.monthlySavingsUsd,
    },
  ];
}

function sumOf<T>(items: readonly T[], amount: (item: T) => number): number {
  return items.reduce((sum, item) => sum + amount(item), 0);
}
