import type { Finding, ScanResult } from '@storage-routing/client';

/** A finding and its bucket; null: of no one bucket. */
export interface LocatedFinding extends Finding {
  readonly bucket: string | null;
}

/** All findings of one code. */
export interface FindingGroup {
  readonly code: string;
  readonly objects: number;
  readonly bytes: number;
  readonly monthlyCostUsd: number;
  /** The most expensive first. */
  readonly findings: readonly LocatedFinding[];
}

/** The most expensive group first. */
export function groupFindings({ summary, buckets }: ScanResult): readonly FindingGroup[] {
  const all: LocatedFinding[] = [
    ...summary.findings.map((finding) => ({ ...finding, bucket: null })),
    ...buckets.flatMap(({ name, findings }) =>
      findings.map((finding) => ({ ...finding, bucket: name })),
    ),
  ];
  const codes = [...new Set(all.map(({ code }) => code))];
  const groups = codes.map((code) => {
    const findings = all
      .filter((finding) => finding.code === code)
      .sort((a, b) => b.monthlyCostUsd - a.monthlyCostUsd);
    const sum = (field: 'objects' | 'bytes' | 'monthlyCostUsd') =>
      findings.reduce((total, finding) => total + finding[field], 0);
    return {
      code,
      objects: sum('objects'),
      bytes: sum('bytes'),
      monthlyCostUsd: sum('monthlyCostUsd'),
      findings,
    };
  });
  return groups.sort((a, b) => b.monthlyCostUsd - a.monthlyCostUsd);
}
