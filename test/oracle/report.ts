import type * as decision from '../../domain/decision/types.ts';
import { counted, type Answer } from './answers.ts';
import { Fraction } from './fraction.ts';
import { isRouted, leftAloneOf, type ExpectedRow } from './left-alone.ts';
import { stayingConfidences } from './moves.ts';
import * as placements from './placements.ts';
import { floorUsd, gb, targetsOf } from './prices.ts';
import { bytesOf, quoteTotal } from './quote.ts';
import { isMovable, type Bucket, type HeldGroup, type Scan } from './storage.ts';

/** Section 10 of the pricing rules: the report. */

/** A scan with its recommendations. */
export interface DecidedScan {
  readonly scan: Scan;
  readonly buckets: readonly Bucket[];
  /** In the order in which they are shown. */
  readonly recommended: readonly Answer[];
}

export type ExpectedReport = Omit<
  decision.DecisionReport,
  | 'reasons'
  | 'risks'
  | 'assumptions'
  | 'priceBook'
  | 'horizonMonths'
  | 'leftAlone'
  | 'readScenarios'
> & {
  readonly leftAlone: readonly ExpectedRow[];
  readonly readScenarios: readonly Omit<decision.ReadScenario, 'title'>[];
};

function profileOf({ buckets }: DecidedScan): decision.WorkloadProfile {
  const groups = buckets.flatMap((bucket) => bucket.groups);
  const all = counted(groups).bytes;
  const holdsMost = (...bands: readonly number[]) =>
    isShare(60n, counted(groups.filter(({ ageBand }) => bands.includes(ageBand))).bytes, all);
  if (all === 0) return 'mixed';
  if (holdsMost(0)) return 'active';
  if (holdsMost(3)) return 'archive';
  return holdsMost(2, 3) ? 'cold' : 'mixed';
}

const isShare = (percent: bigint, bytes: number, all: number): boolean =>
  100n * BigInt(bytes) >= percent * BigInt(all);

function verdictOf({ buckets, recommended }: DecidedScan): decision.Verdict {
  if (buckets.length > 0 && buckets.every(({ error }) => error !== null)) return 'nothing_read';
  const moves = recommended.filter(({ kind }) => kind === 'move');
  const all = counted(buckets.flatMap(({ groups }) => groups)).bytes;
  if (moves.length > 0)
    return isShare(80n, counted(moves).bytes, all) ? 'migrate' : 'migrate_partly';
  return recommended.length > 0 ? 'optimize_in_place' : 'stay';
}

function confidenceOf({ scan, buckets, recommended }: DecidedScan): number | null {
  const read = buckets.filter(({ error }) => error === null);
  if (read.length === 0 && buckets.length > 0) return null;
  const earned =
    recommended.length > 0
      ? recommended.map((answer) => answer.confidenceTenths)
      : read.flatMap((bucket) => stayingConfidences(scan, bucket));
  const lowest = Math.min(9, ...earned);
  return Math.max(1, read.length < buckets.length ? lowest - 2 : lowest) / 10;
}

/** Monthly cost with the scenario's reads: current and as recommended. */
function readScenario(
  { recommended }: DecidedScan,
  now: readonly { readonly current: Fraction; readonly groups: placements.Cost }[],
  reads: decision.ReadScenario['reads'],
) {
  const staying = Fraction.sum(
    now.map(({ current, groups: { monthly, shown } }) =>
      current.plus(monthly[reads].usd).minus(shown.usd),
    ),
  );
  const saved = Fraction.sum(
    recommended.map(({ staying: { monthly }, taken }) =>
      monthly[reads].usd.minus(taken?.cost.monthly[reads].usd ?? Fraction.ZERO),
    ),
  );
  const optimalMonthlyUsd = staying.minus(saved).toUsd();
  return { reads, stayMonthlyUsd: staying.toUsd(), optimalMonthlyUsd };
}

/** All that nothing but reads and prices holds back. */
const mayLeave = (bucket: Bucket) => (group: HeldGroup) =>
  isMovable(group) && !isRouted(bucket, group.prefix) && !bucket.use.isKept && !bucket.use.isLocked;

function exitOf({ scan, buckets }: DecidedScan): decision.ExitScenario | null {
  const parts = buckets.map((bucket) => bucket.groups.filter(mayLeave(bucket)));
  const movable = parts.flat();
  // What leaves a bucket leaves it together.
  const pools = new Map(
    parts.flatMap((groups) => {
      const pool = placements.poolOf(groups);
      return groups.map((group) => [group, pool] as const);
    }),
  );
  const poolFor = (group: HeldGroup) => pools.get(group) ?? new Map();
  const regions = [...new Set(movable.map(({ region }) => region))].map((name) =>
    movable.filter(({ region }) => region === name),
  );
  const sumOf = (cost: (groups: typeof movable) => placements.Cost) =>
    placements.addCosts(scan, regions.map(cost));
  const leavingTo = (provider: string) => {
    // The free egress is there once.
    let left = scan.freeGb;
    return sumOf((groups) => {
      const freeGb = left.min(gb(scan.source, bytesOf(groups)));
      left = left.minus(freeGb);
      return placements.move(scan, groups, provider, { freeGb });
    });
  };
  const [best] = targetsOf(scan.source)
    .filter((provider) => placements.refused(movable, provider, poolFor).length === 0)
    .map((provider) => ({ provider, cost: leavingTo(provider) }))
    .filter(({ provider, cost }) => !cost.shown.usd.isBelow(floorUsd(provider)))
    .sort(placements.byTotal);
  if (best === undefined || movable.length === 0) return null;
  const { shown, quote } = best.cost;
  const paid = quoteTotal(quote).usd;
  const withWaiver = paid.minus(quote.egress.usd);
  const staying = sumOf((groups) => placements.stay(scan, groups));
  const savings = placements.savings(staying, best.cost);
  const all = Fraction.sum(buckets.map((bucket) => placements.current(scan, bucket)));
  return {
    provider: best.provider,
    monthlyCostUsd: shown.usd.toUsd(),
    remainingMonthlyUsd: all.minus(staying.shown.usd).toUsd(),
    oneOffUsd: paid.toUsd(),
    oneOffWithExitWaiverUsd: withWaiver.toUsd(),
    breakEvenMonths: placements.breakEven(paid, savings),
    breakEvenMonthsWithExitWaiver: placements.breakEven(withWaiver, savings),
  };
}

function placementOf({ source }: Scan, { taken, fromClasses, ...answer }: Answer) {
  if (taken === null) return [];
  const { bucket, selector, objects, bytes, savings } = answer;
  const storageClass = fromClasses.length === 1 ? (fromClasses[0] ?? null) : null;
  const from = { provider: source, storageClass };
  const to = { provider: taken.provider, storageClass: taken.storageClass };
  return [{ bucket, selector, from, to, objects, bytes, monthlySavingsUsd: savings.toUsd() }];
}

export function reportOf(decided: DecidedScan): ExpectedReport {
  const { scan, buckets, recommended } = decided;
  const now = buckets.map((bucket) => ({
    current: placements.current(scan, bucket),
    groups: placements.stay(scan, bucket.groups),
  }));
  const current = Fraction.sum(now.map((bucket) => bucket.current));
  const savings = Fraction.sum(recommended.map((answer) => answer.savings));
  const oneOff = Fraction.sum(
    recommended.map(({ taken, once }) =>
      taken ? quoteTotal(taken.cost.quote).usd : (once ?? Fraction.ZERO),
    ),
  );
  return {
    workloadProfile: profileOf(decided),
    verdict: verdictOf(decided),
    confidence: confidenceOf(decided),
    leftAlone: leftAloneOf(scan, buckets),
    currentMonthlyCostUsd: current.toUsd(),
    optimalMonthlyCostUsd: current.minus(savings).toUsd(),
    oneOffCostUsd: oneOff.toUsd(),
    breakEvenMonths: placements.breakEven(oneOff, savings),
    savings12MonthsUsd: savings.times(Fraction.of(12)).minus(oneOff).toUsd(),
    readScenarios: (['none', 'expected'] as const).map((reads) =>
      readScenario(decided, now, reads),
    ),
    exitScenario: exitOf(decided),
    placements: recommended.flatMap((answer) => placementOf(scan, answer)),
  };
}
