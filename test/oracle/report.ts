import type {
  DecisionReport,
  ExitScenario,
  Verdict,
  WorkloadProfile,
} from '../../domain/decision/types.ts';
import type { BucketInventory } from '../../domain/inventory/inventory.ts';
import { oldVersionsOf, uploadsOf, type Answer } from './answers.ts';
import * as costs from './costs.ts';
import { Fraction } from './fraction.ts';
import { movableOf, stayingConfidences } from './moves.ts';
import { TARGETS } from './prices.ts';
import { SOURCE, storage, type ScanBytes } from './storage.ts';

/** A scan with its recommendations. */
export interface DecidedScan {
  readonly scan: ScanBytes;
  readonly buckets: readonly BucketInventory[];
  /** In the order in which they are shown. */
  readonly recommended: readonly Answer[];
  readonly horizonMonths: number;
}

/** Storage and monitoring of everything in a bucket. */
export function currentOf(scan: ScanBytes, bucket: BucketInventory): Fraction {
  return Fraction.sum([
    ...bucket.groups.map((group) => storage(scan, bucket.region, group).usd),
    oldVersionsOf(scan, bucket).kept.usd,
    uploadsOf(scan, bucket).kept.usd,
  ]);
}

export type ExpectedReport = Omit<
  DecisionReport,
  'reasons' | 'risks' | 'assumptions' | 'priceBook'
>;

const MONTHS_A_YEAR = Fraction.of(12);

/** Null where nothing is saved. */
function breakEven(paid: Fraction, savings: Fraction): number | null {
  return savings.isPositive() ? paid.dividedBy(savings).toTenthsUp() : null;
}

function bytesOf(groups: readonly { readonly bytes: number }[]): bigint {
  return groups.reduce((total, { bytes }) => total + BigInt(bytes), 0n);
}

function profileOf({ buckets }: DecidedScan): WorkloadProfile {
  const groups = buckets.flatMap((bucket) => bucket.groups);
  const all = bytesOf(groups);
  if (all === 0n) return 'mixed';
  const holdsMost = (ageBands: readonly number[]): boolean =>
    100n * bytesOf(groups.filter(({ ageBand }) => ageBands.includes(ageBand))) >= 60n * all;
  if (holdsMost([0])) return 'active';
  if (holdsMost([3])) return 'archive';
  return holdsMost([2, 3]) ? 'cold' : 'mixed';
}

function verdictOf({ buckets, recommended }: DecidedScan): Verdict {
  const all = bytesOf(buckets.flatMap(({ groups }) => groups));
  const moves = recommended.filter(({ kind }) => kind === 'move');
  if (moves.length > 0) return 100n * bytesOf(moves) >= 80n * all ? 'migrate' : 'migrate_partly';
  return recommended.length > 0 ? 'optimize_in_place' : 'stay';
}

function confidenceOf({ scan, buckets, recommended, horizonMonths }: DecidedScan): number {
  const earned =
    recommended.length > 0
      ? recommended.map((answer) => answer.confidenceTenths)
      : buckets
          // A bucket that could not be read has no answer, not even staying.
          .filter(({ error }) => !error)
          .flatMap((bucket) => stayingConfidences(scan, bucket, horizonMonths));
  return Math.min(9, ...earned) / 10;
}

/** Monthly cost with the scenario's reads: current and as recommended. */
function readScenario({ scan, buckets, recommended }: DecidedScan, reads: costs.Scenario) {
  const current = Fraction.sum(buckets.map((bucket) => currentOf(scan, bucket)));
  const readCosts = Fraction.sum(
    buckets.map(({ region, groups }) => {
      const { monthly } = costs.stay(scan, region, groups);
      return monthly[reads].usd.minus(monthly.none.usd);
    }),
  );
  const saved = Fraction.sum(
    recommended.map(({ staying, taken }) =>
      staying.monthly[reads].usd.minus(taken?.cost.monthly[reads].usd ?? Fraction.ZERO),
    ),
  );
  const staying = current.plus(readCosts);
  return {
    reads,
    stayMonthlyUsd: staying.toUsd(),
    optimalMonthlyUsd: staying.minus(saved).toUsd(),
  };
}

/** What may not move: archived, without a sheet, old versions, parts. */
function remainingOf(scan: ScanBytes, bucket: BucketInventory): Fraction {
  const movable = new Set(movableOf(bucket));
  return currentOf(scan, {
    ...bucket,
    groups: bucket.groups.filter((group) => !movable.has(group)),
  });
}

function exitOf({ scan, buckets, horizonMonths }: DecidedScan): ExitScenario | null {
  const regions = [...new Set(buckets.map(({ region }) => region))]
    .map((region) => ({
      region,
      groups: buckets.filter((bucket) => bucket.region === region).flatMap(movableOf),
    }))
    .filter(({ groups }) => groups.length > 0);
  if (regions.length === 0) return null;
  const staying = costs.add(regions.map(({ region, groups }) => costs.stay(scan, region, groups)));
  const [best] = TARGETS.map((provider) => ({
    provider,
    cost: costs.add(
      regions.map(({ region, groups }) => costs.move(scan, region, groups, provider)),
    ),
  })).sort(costs.byTotal(horizonMonths));
  if (best === undefined) return null;
  const { provider, cost } = best;
  const paid = costs.quoteTotal(cost.quote).usd;
  const withWaiver = paid.minus(cost.quote.egress.usd);
  const savings = costs.savings(staying, cost);
  return {
    provider,
    monthlyCostUsd: cost.monthly.none.usd.toUsd(),
    remainingMonthlyUsd: Fraction.sum(buckets.map((bucket) => remainingOf(scan, bucket))).toUsd(),
    oneOffUsd: paid.toUsd(),
    oneOffWithExitWaiverUsd: withWaiver.toUsd(),
    breakEvenMonths: breakEven(paid, savings),
    breakEvenMonthsWithExitWaiver: breakEven(withWaiver, savings),
  };
}

function placementsOf({ recommended }: DecidedScan): DecisionReport['placements'] {
  return recommended.flatMap((answer) => {
    if (answer.taken === null) return [];
    const { provider, storageClass } = answer.taken;
    const [fromClass, ...others] = answer.fromClasses;
    return [
      {
        bucket: answer.bucket,
        selector: answer.selector,
        from: {
          provider: SOURCE,
          storageClass: others.length === 0 ? (fromClass ?? null) : null,
        },
        to: { provider, storageClass },
        objects: answer.objects,
        bytes: answer.bytes,
        monthlySavingsUsd: answer.savings.toUsd(),
      },
    ];
  });
}

/** Section 4, rule 9. */
export function reportOf(decided: DecidedScan): ExpectedReport {
  const { scan, buckets, recommended, horizonMonths } = decided;
  const current = Fraction.sum(buckets.map((bucket) => currentOf(scan, bucket)));
  const savings = Fraction.sum(recommended.map((answer) => answer.savings));
  const oneOff = Fraction.sum(
    recommended.map(({ taken }) =>
      taken === null ? Fraction.ZERO : costs.quoteTotal(taken.cost.quote).usd,
    ),
  );
  return {
    workloadProfile: profileOf(decided),
    verdict: verdictOf(decided),
    confidence: confidenceOf(decided),
    horizonMonths,
    currentMonthlyCostUsd: current.toUsd(),
    optimalMonthlyCostUsd: current.minus(savings).toUsd(),
    oneOffCostUsd: oneOff.toUsd(),
    breakEvenMonths: breakEven(oneOff, savings),
    savings12MonthsUsd: savings.times(MONTHS_A_YEAR).minus(oneOff).toUsd(),
    readScenarios: costs.SCENARIOS.map((reads) => readScenario(decided, reads)),
    exitScenario: exitOf(decided),
    placements: placementsOf(decided),
  };
}
