import type * as decision from '../../domain/decision/types.ts';
import { counted, oldVersionsOf, uploadsOf, type Answer } from './answers.ts';
import * as costs from './costs.ts';
import { Fraction } from './fraction.ts';
import { compareUtf8, UPLOADS } from './inventory.ts';
import { stayingConfidences } from './moves.ts';
import { floorUsd, gb, targetsOf } from './prices.ts';
import { isRouted, mayMove, type Bucket, type HeldGroup, type Scan } from './storage.ts';

/** A scan with its recommendations. */
export interface DecidedScan {
  readonly scan: Scan;
  readonly buckets: readonly Bucket[];
  /** In the order in which they are shown. */
  readonly recommended: readonly Answer[];
}

/** Storage and monitoring of everything in a bucket, and the reads that are sure. */
export const currentOf = (scan: Scan, bucket: Bucket): Fraction =>
  Fraction.sum([
    costs.stay(scan, bucket.groups).monthly.none.usd,
    oldVersionsOf(scan, bucket).kept.usd,
    uploadsOf(scan, bucket).kept.usd,
  ]);

export type ExpectedReport = Omit<
  decision.DecisionReport,
  'reasons' | 'risks' | 'assumptions' | 'priceBook' | 'horizonMonths' | 'leftAlone'
> & { readonly leftAlone: readonly Omit<decision.LeftAlone, 'message'>[] };

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
  const moves = recommended.filter(({ kind }) => kind === 'move');
  const all = counted(buckets.flatMap(({ groups }) => groups)).bytes;
  if (moves.length > 0)
    return isShare(80n, counted(moves).bytes, all) ? 'migrate' : 'migrate_partly';
  return recommended.length > 0 ? 'optimize_in_place' : 'stay';
}

function confidenceOf({ scan, buckets, recommended }: DecidedScan): number {
  // A bucket that could not be read has no answer, not even staying.
  const read = buckets.filter(({ error }) => !error);
  const earned =
    recommended.length > 0
      ? recommended.map((answer) => answer.confidenceTenths)
      : read.flatMap((bucket) => stayingConfidences(scan, bucket));
  return Math.min(costs.lessUncertainty(scan, 9, false), ...earned) / 10;
}

/** Monthly cost with the scenario's reads: current and as recommended. */
function readScenario({ scan, buckets, recommended }: DecidedScan, reads: costs.Scenario) {
  const staying = Fraction.sum(
    buckets.map((bucket) => {
      const { monthly } = costs.stay(scan, bucket.groups);
      return currentOf(scan, bucket).plus(monthly[reads].usd).minus(monthly.none.usd);
    }),
  );
  const saved = Fraction.sum(
    recommended.map(({ staying: { monthly }, taken }) =>
      monthly[reads].usd.minus(taken?.cost.monthly[reads].usd ?? Fraction.ZERO),
    ),
  );
  const optimalMonthlyUsd = staying.minus(saved).toUsd();
  return { reads, stayMonthlyUsd: staying.toUsd(), optimalMonthlyUsd };
}

const mayLeave = (bucket: Bucket) => (group: HeldGroup) =>
  mayMove(group) && !isRouted(bucket, group);

/** What may not move: archived, without a sheet, files of the service, old versions, parts. */
function remainingOf(scan: Scan, bucket: Bucket): Fraction {
  const leaves = mayLeave(bucket);
  return currentOf(scan, { ...bucket, groups: bucket.groups.filter((group) => !leaves(group)) });
}

/** Section 6: the files of the service that could move otherwise, the most expensive first. */
function leftAloneOf({ scan, buckets }: DecidedScan): ExpectedReport['leftAlone'] {
  return buckets
    .map((bucket) => ({ bucket, held: bucket.groups.filter((group) => isRouted(bucket, group)) }))
    .filter(({ held }) => held.some(mayMove))
    .map(({ bucket, held }) => {
      const usd = costs.stay(scan, held).monthly.none.usd;
      return Object.assign(counted(held), { bucket: bucket.name, usd });
    })
    .sort((a, b) => b.usd.compare(a.usd) || compareUtf8(a.bucket, b.bucket))
    .map(({ bucket, objects, bytes, usd }) => {
      const monthlyCostUsd = usd.toUsd();
      return { bucket, prefix: UPLOADS, code: 'routed', objects, bytes, monthlyCostUsd };
    });
}

function exitOf({ scan, buckets }: DecidedScan): decision.ExitScenario | null {
  const movable = buckets.flatMap((bucket) => bucket.groups.filter(mayLeave(bucket)));
  const regions = [...new Set(movable.map(({ region }) => region))].map((name) =>
    movable.filter(({ region }) => region === name),
  );
  const sumOf = (cost: (groups: typeof movable) => costs.Cost) =>
    costs.add(scan, regions.map(cost));
  const leavingTo = (provider: string) => {
    // The free egress is there once.
    let left = scan.freeGb;
    return sumOf((groups) => {
      const share = left.min(gb(scan.source, counted(groups).bytes));
      left = left.minus(share);
      return costs.move(scan, groups, provider, share);
    });
  };
  const [best] = targetsOf(scan.source)
    .filter((provider) => costs.refused(movable, provider).length === 0)
    .map((provider) => ({ provider, cost: leavingTo(provider) }))
    .filter(({ provider, cost }) => !cost.monthly.none.usd.isBelow(floorUsd(provider)))
    .sort(costs.byTotal);
  if (best === undefined || movable.length === 0) return null;
  const { monthly, quote } = best.cost;
  const paid = costs.quoteTotal(quote).usd;
  const withWaiver = paid.minus(quote.egress.usd);
  const savings = costs.savings(
    sumOf((groups) => costs.stay(scan, groups)),
    best.cost,
  );
  return {
    provider: best.provider,
    monthlyCostUsd: monthly.none.usd.toUsd(),
    remainingMonthlyUsd: Fraction.sum(buckets.map((bucket) => remainingOf(scan, bucket))).toUsd(),
    oneOffUsd: paid.toUsd(),
    oneOffWithExitWaiverUsd: withWaiver.toUsd(),
    breakEvenMonths: costs.breakEven(paid, savings),
    breakEvenMonthsWithExitWaiver: costs.breakEven(withWaiver, savings),
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

/** Section 4, rule 9. */
export function reportOf(decided: DecidedScan): ExpectedReport {
  const { scan, buckets, recommended } = decided;
  const current = Fraction.sum(buckets.map((bucket) => currentOf(scan, bucket)));
  const savings = Fraction.sum(recommended.map((answer) => answer.savings));
  const quotes = recommended.map(({ taken }) => taken?.cost.quote ?? costs.NO_QUOTE);
  const oneOff = Fraction.sum(quotes.map((quote) => costs.quoteTotal(quote).usd));
  return {
    workloadProfile: profileOf(decided),
    verdict: verdictOf(decided),
    confidence: confidenceOf(decided),
    leftAlone: leftAloneOf(decided),
    currentMonthlyCostUsd: current.toUsd(),
    optimalMonthlyCostUsd: current.minus(savings).toUsd(),
    oneOffCostUsd: oneOff.toUsd(),
    breakEvenMonths: costs.breakEven(oneOff, savings),
    savings12MonthsUsd: savings.times(Fraction.of(12)).minus(oneOff).toUsd(),
    readScenarios: costs.SCENARIOS.map((reads) => readScenario(decided, reads)),
    exitScenario: exitOf(decided),
    placements: recommended.flatMap((answer) => placementOf(scan, answer)),
  };
}
