import type { Finding, ScanResult } from '@storage-routing/client';
import { FINDING_CODES } from '../../../format/findings.ts';

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

/** In the order of the codes; codes of a newer service last. */
export function groupFindings({ summary, buckets }: ScanResult): readonly FindingGroup[] {
  const all: LocatedFinding[] = [
    ...summary.findings.map((finding) => ({ ...finding, bucket: null })),
    ...buckets.flatMap(({ name, findings }) =>
      findings.map((finding) => ({ ...finding, bucket: name })),
    ),
  ];
  const codes = new Set([...FINDING_CODES, ...all.map(({ code }) => code)]);
  return [...codes].flatMap((code) => {
    const findings = all
      .filter((finding) => finding.code === code)
      .sort((a, b) => b.monthlyCostUsd - a.monthlyCostUsd);
    if (findings.length === 0) return [];
    const sum = (of: (finding: Finding) => number) =>
      findings.reduce((total, finding) => total + of(finding), 0);
    return [
      {
        code,
        objects: sum(({ objects }) => objects),
        bytes: sum(({ bytes }) => bytes),
        monthlyCostUsd: sum(({ monthlyCostUsd }) => monthlyCostUsd),
        findings,
      },
    ];
  });
}
