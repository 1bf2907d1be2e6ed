import type { Decision } from '../../domain/decision/types.ts';
import type { BucketInventory } from '../../domain/inventory/inventory.ts';
import type { ScanGap, ScanSummary } from '../../domain/scans/scan.ts';

export function summarise(
  buckets: readonly BucketInventory[],
  decision: Decision,
  usageGaps: readonly ScanGap[],
): ScanSummary {
  const groups = buckets.flatMap((bucket) => bucket.groups);
  const { currentMonthlyCostUsd, optimalMonthlyCostUsd, monthlySavingsUsd, findings } = decision;
  return {
    buckets: buckets.length,
    objects: groups.reduce((sum, { objects }) => sum + objects, 0),
    bytes: groups.reduce((sum, { bytes }) => sum + bytes, 0),
    currentMonthlyCostUsd,
    optimalMonthlyCostUsd,
    monthlySavingsUsd,
    workloadProfile: decision.report.workloadProfile,
    findings,
    coverage: [
      ...buckets.flatMap(({ name, coverage }) => coverage.map((gap) => ({ bucket: name, ...gap }))),
      ...usageGaps,
    ],
    bill: decision.bill,
  };
}
