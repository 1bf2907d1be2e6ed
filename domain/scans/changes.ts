import { totalOf } from '../common/sums.ts';
import type { Recommendation, Verdict } from '../decision/types.ts';
import { selectorValues } from '../recommendations/recommendation.ts';
import { compareKeys } from '../inventory/key-order.ts';
import { toMicroUsd, toUsd, type MicroUsd } from '../pricing/money.ts';

/** The decision of a connection's newest completed scan, or of its later revision. */
export interface Standing {
  readonly scanId: string;
  /** When the scan completed, or the revision was made. */
  readonly at: Date;
  readonly priceBook: string;
  /** Null without a decision report. */
  readonly verdict: Verdict | null;
  readonly currentMonthlyCostUsd: number;
  readonly monthlySavingsUsd: number;
  /** What each bucket costs a month, by name. */
  readonly buckets: ReadonlyMap<string, number>;
  readonly recommendations: readonly StandingRecommendation[];
}

export type StandingRecommendation = Pick<
  Recommendation,
  | 'kind'
  | 'bucket'
  | 'selector'
  | 'monthlySavingsUsd'
  | 'recommendedProvider'
  | 'recommendedStorageClass'
> & { readonly recommendationId: string };

export const CHANGE_CAUSES = ['new_bucket', 'gone_bucket', 'objects', 'reads', 'prices'] as const;
export type ChangeCause = (typeof CHANGE_CAUSES)[number];

/** The difference between a decision and the one before it. */
export interface ScanChanges {
  /** The decision before; null for the first one. */
  readonly since: Pick<Standing, 'scanId' | 'at' | 'priceBook'> | null;
  /** Null without one before. */
  readonly costChangeUsd: number | null;
  /** They add up to the change of the cost. */
  readonly causes: readonly { readonly code: ChangeCause; readonly usd: number }[];
  /** The largest amounts first. */
  readonly buckets: readonly { readonly name: string; readonly costChangeUsd: number }[];
  readonly recommendations: {
    /** Ids of this decision's. */
    readonly opened: readonly string[];
    /** Ids of the earlier one's. */
    readonly gone: readonly string[];
    /** Ids of this decision's that save more than before. */
    readonly better: readonly string[];
  };
}

export const NO_CHANGES: ScanChanges = {
  since: null,
  costChangeUsd: null,
  causes: [],
  buckets: [],
  recommendations: { opened: [], gone: [], better: [] },
};

const BUCKETS_LISTED = 20;
const SHARE_THAT_MATTERS = 0.2;
const USD_THAT_MATTER = 10;

/** The buckets of this decision, each at one more of what has changed; by name, per month. */
export interface CostSteps {
  /** At the reads and prices of before. */
  readonly objects: ReadonlyMap<string, number>;
  /** With the reads of now, at the prices of before. */
  readonly reads: ReadonlyMap<string, number>;
}

/**
 * What has changed and why, each cause on top of the ones before it: new and gone buckets, then the
 * objects, then the reads, then the prices. What the rounding of the buckets leaves over belongs to
 * the largest cause.
 */
export function compareStandings(before: Standing, after: Standing, steps: CostSteps): ScanChanges {
  const common = [...after.buckets.keys()].filter((name) => before.buckets.has(name));
  const total = (costs: ReadonlyMap<string, number>, names: readonly string[]) =>
    names.reduce((sum, name) => sum + toMicroUsd(totalOf(costs, name)), 0);
  const without = (others: ReadonlyMap<string, number>, costs: ReadonlyMap<string, number>) =>
    total(
      costs,
      [...costs.keys()].filter((name) => !others.has(name)),
    );
  const [then, objects, reads, now] = [
    before.buckets,
    steps.objects,
    steps.reads,
    after.buckets,
  ].map((costs) => total(costs, common)) as [number, number, number, number];
  const micro: Record<ChangeCause, number> = {
    new_bucket: without(before.buckets, after.buckets),
    gone_bucket: -without(after.buckets, before.buckets),
    objects: objects - then,
    reads: reads - objects,
    prices: now - reads,
  };
  const change = toMicroUsd(after.currentMonthlyCostUsd) - toMicroUsd(before.currentMonthlyCostUsd);
  const explained = CHANGE_CAUSES.reduce((sum, code) => sum + micro[code], 0);
  const largest = CHANGE_CAUSES.toSorted((a, b) => Math.abs(micro[b]) - Math.abs(micro[a]))[0];
  if (largest) micro[largest] += change - explained;
  const { scanId, at, priceBook } = before;
  return {
    since: { scanId, at, priceBook },
    costChangeUsd: toUsd(change as MicroUsd),
    causes: CHANGE_CAUSES.map((code) => ({ code, usd: toUsd(micro[code] as MicroUsd) })),
    buckets: bucketChanges(before.buckets, after.buckets),
    recommendations: compareRecommendations(before.recommendations, after.recommendations),
  };
}

function bucketChanges(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): ScanChanges['buckets'] {
  const costOf = (costs: ReadonlyMap<string, number>, name: string) =>
    toMicroUsd(totalOf(costs, name));
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({ name, micro: costOf(after, name) - costOf(before, name) }))
    .filter(({ micro }) => micro !== 0)
    .sort((a, b) => Math.abs(b.micro) - Math.abs(a.micro) || compareKeys(a.name, b.name))
    .slice(0, BUCKETS_LISTED)
    .map(({ name, micro }) => ({ name, costChangeUsd: toUsd(micro as MicroUsd) }));
}

function compareRecommendations(
  before: readonly StandingRecommendation[],
  after: readonly StandingRecommendation[],
): ScanChanges['recommendations'] {
  const [then, now] = [bySubject(before), bySubject(after)];
  const opened = after.filter((each) => !then.has(subjectOf(each)));
  const closed = before.filter((each) => !now.has(subjectOf(each)));
  const better = after.filter((each) => {
    const earlier = then.get(subjectOf(each));
    return earlier !== undefined && each.monthlySavingsUsd > earlier.monthlySavingsUsd;
  });
  return { opened: idsOf(opened), gone: idsOf(closed), better: idsOf(better) };
}

/**
 * Whether people are notified that a verdict has changed.
 *
 * | since the decision before                                     | answer |
 * | ------------------------------------------------------------- | ------ |
 * | there is none                                                 | no     |
 * | the verdict is another                                        | yes    |
 * | a recommendation for the same objects has another target      | yes    |
 * | the savings have moved by 20 % and by 10 USD a month          | yes    |
 * | anything else                                                 | no     |
 */
export function isVerdictChanged(before: Standing | undefined, after: Standing): boolean {
  if (!before) return false;
  const then = bySubject(before.recommendations);
  return (
    before.verdict !== after.verdict ||
    hasMoved(before.monthlySavingsUsd, after.monthlySavingsUsd) ||
    after.recommendations.some((each) => {
      const earlier = then.get(subjectOf(each));
      return earlier !== undefined && targetOf(earlier) !== targetOf(each);
    })
  );
}

/** Recommendations worth a notice: other objects, another target, or other savings. */
export function findNoteworthy(before: Standing | undefined, after: Standing): readonly string[] {
  const then = bySubject(before?.recommendations ?? []);
  return idsOf(
    after.recommendations.filter((each) => {
      const earlier = then.get(subjectOf(each));
      return (
        !earlier ||
        targetOf(earlier) !== targetOf(each) ||
        hasMoved(earlier.monthlySavingsUsd, each.monthlySavingsUsd)
      );
    }),
  );
}

function hasMoved(beforeUsd: number, afterUsd: number): boolean {
  const changeUsd = Math.abs(afterUsd - beforeUsd);
  return changeUsd >= USD_THAT_MATTER && changeUsd >= SHARE_THAT_MATTERS * Math.abs(beforeUsd);
}

function subjectOf({ kind, bucket, selector }: StandingRecommendation): string {
  return JSON.stringify([kind, bucket, ...selectorValues(selector)]);
}

function targetOf(recommendation: StandingRecommendation): string {
  const { recommendedProvider, recommendedStorageClass } = recommendation;
  return JSON.stringify([recommendedProvider, recommendedStorageClass]);
}

function bySubject(
  recommendations: readonly StandingRecommendation[],
): ReadonlyMap<string, StandingRecommendation> {
  return new Map(recommendations.map((each) => [subjectOf(each), each]));
}

function idsOf(recommendations: readonly StandingRecommendation[]): string[] {
  return recommendations.map(({ recommendationId }) => recommendationId);
}
