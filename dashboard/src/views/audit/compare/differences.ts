import type { ScannedBucket, ScanResult } from '@storage-routing/client';

/** What is compared of two scans, of a bucket or in all. USD are a month. */
export interface Amounts {
  readonly objects: number;
  readonly bytes: number;
  readonly costUsd: number;
  /** What could be saved. */
  readonly savingsUsd: number;
}

export const NOTHING: Amounts = { objects: 0, bytes: 0, costUsd: 0, savingsUsd: 0 };

export interface BucketDifference {
  readonly name: string;
  /** Undefined: the earlier scan did not see it. */
  readonly from: Amounts | undefined;
  /** Undefined: the later scan no longer sees it. */
  readonly to: Amounts | undefined;
}

export function readTotals({ summary }: ScanResult): Amounts {
  return {
    objects: summary.objects,
    bytes: summary.bytes,
    costUsd: summary.currentMonthlyCostUsd,
    savingsUsd: summary.monthlySavingsUsd,
  };
}

/** Every bucket of either scan, the largest change of its cost first. */
export function bucketDifferences(from: ScanResult, to: ScanResult): readonly BucketDifference[] {
  const earlier = byName(from);
  const later = byName(to);
  return [...new Set([...earlier.keys(), ...later.keys()])]
    .map((name) => ({ name, from: earlier.get(name), to: later.get(name) }))
    .sort((a, b) => costChange(b) - costChange(a));
}

export function hasChanged({ from, to }: BucketDifference): boolean {
  if (!from || !to) return true;
  return (Object.keys(NOTHING) as (keyof Amounts)[]).some((name) => from[name] !== to[name]);
}

function byName({ buckets }: ScanResult): Map<string, Amounts> {
  return new Map(buckets.map((bucket) => [bucket.name, readAmounts(bucket)]));
}

function readAmounts(bucket: ScannedBucket): Amounts {
  return {
    objects: bucket.objects,
    bytes: bucket.bytes,
    costUsd: bucket.currentMonthlyCostUsd,
    savingsUsd: bucket.currentMonthlyCostUsd - bucket.optimalMonthlyCostUsd,
  };
}

function costChange({ from = NOTHING, to = NOTHING }: BucketDifference): number {
  return Math.abs(to.costUsd - from.costUsd);
}
