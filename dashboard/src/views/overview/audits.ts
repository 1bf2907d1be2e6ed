import type { ListedMigration, ScanLine } from '@storage-routing/client';
import type { PlotProps } from '../../parts/plot-props.ts';

/** The latest completed audits of all cloud accounts in sum. USD a month. */
export interface AuditedCosts {
  readonly nowUsd: number;
  readonly savingsUsd: number;
  /** The newest of them. */
  readonly latest: ScanLine;
}

/** @param items the newest first. Undefined without a completed audit */
export function sumAudits(items: readonly ScanLine[]): AuditedCosts | undefined {
  const completed = items.filter(({ status }) => status === 'completed');
  const latest = completed.filter(
    (line, index) =>
      completed.findIndex(({ connectionId }) => connectionId === line.connectionId) === index,
  );
  const [newest] = latest;
  if (!newest) return undefined;
  return {
    nowUsd: latest.reduce((sum, line) => sum + (line.currentMonthlyCostUsd ?? 0), 0),
    savingsUsd: latest.reduce((sum, line) => sum + (line.monthlySavingsUsd ?? 0), 0),
    latest: newest,
  };
}

/**
 * What all accounts cost at the time of each audit: of every account its latest audit until then.
 */
export function costHistory(
  items: readonly ScanLine[],
  formatPoint: (iso: string) => { readonly label: string; readonly tick: string },
): Pick<PlotProps, 'points' | 'series'> {
  const audits = items.filter(({ status }) => status === 'completed').toReversed();
  const sums = audits.map((_, index) => sumAudits(audits.slice(0, index + 1).toReversed()));
  return {
    points: audits.map(({ startedAt }) => formatPoint(startedAt)),
    series: [
      { label: 'Costs a month', values: sums.map((sum) => sum?.nowUsd ?? null) },
      {
        label: 'After every recommended step',
        values: sums.map((sum) => (sum ? sum.nowUsd - sum.savingsUsd : null)),
        color: 3,
        isDashed: true,
      },
    ],
  };
}

const MONTH_MS = (365.25 / 12) * 86_400_000;

/** What finished moves save. Undefined if nothing has been saved yet. */
export function sumRealised(migrations: readonly ListedMigration[], nowMs: number) {
  const saved = migrations.flatMap(({ realised }) =>
    realised?.state === 'released' ? [realised] : [],
  );
  const [first] = saved.toSorted((a, b) => Date.parse(a.asOf) - Date.parse(b.asOf));
  if (!first) return undefined;
  return {
    monthlyUsd: saved.reduce((sum, { monthlyUsd }) => sum + monthlyUsd, 0),
    /** Since each was first measured. */
    sumUsd: saved.reduce(
      (sum, { monthlyUsd, asOf }) =>
        sum + (monthlyUsd * Math.max(0, nowMs - Date.parse(asOf))) / MONTH_MS,
      0,
    ),
    /** When the first was measured, RFC 3339. */
    since: first.asOf,
  };
}
