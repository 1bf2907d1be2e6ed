import type { Catalogue } from '../../domain/providers/catalogue.ts';
import type { FileRecord } from '../../domain/uploads/file.ts';
import { microToUsd, toUsd } from '../../domain/pricing/money.ts';
import { BYTES_PER_DECIMAL_GB } from '../../shared/units.ts';
import {
  addTotals,
  fileCounts,
  totalRouted,
  type Routed,
  type MonthlyTotals,
} from '../../domain/uploads/usage-totals.ts';
import type { Month } from '../../domain/common/time.ts';
import type { AnalyticsSummary } from '../../operations/analytics/analytics.ts';
import { toView, type View } from '../http/route.ts';
import { HistoryItem, RoutedFileView, type MonthlyView, type SummaryView } from './schemas.ts';

export function presentSummary(
  catalogue: Catalogue,
  { pending, months, currentMonth }: AnalyticsSummary,
): View<typeof SummaryView> {
  const sums = addTotals([...months.values()]);
  const { active, deleted, expired } = fileCounts(sums);
  return {
    files: {
      pending,
      active: Number(active),
      deleted: Number(deleted),
      expired: Number(expired),
    },
    ...presentRouted(totalRouted(sums)),
    byProvider: presentProviders(catalogue, sums),
    currentMonth: presentMonth(currentMonth, months.get(currentMonth) ?? {}),
  };
}

export function presentMonthly(
  catalogue: Catalogue,
  months: readonly (readonly [Month, MonthlyTotals])[],
): View<typeof MonthlyView> {
  return {
    months: months.map(([month, sums]) => ({
      ...presentMonth(month, sums),
      byProvider: presentProviders(catalogue, sums),
    })),
  };
}

export function presentHistoryLine(file: FileRecord): View<typeof HistoryItem> {
  return toView(HistoryItem, toFields(file));
}

export function presentRoutedFile(file: FileRecord): View<typeof RoutedFileView> {
  return toView(RoutedFileView, toFields(file));
}

function toFields(file: FileRecord) {
  const { sizeBytes, routing, savedVsAws } = file;
  return {
    ...file,
    fileSizeBytes: sizeBytes,
    provider: routing.provider,
    preferredProvider: routing.preferredProvider,
    savedVsAwsUsd: toUsd(savedVsAws),
    routingWarning: routing.warning ?? null,
  };
}

function presentMonth(month: Month, sums: MonthlyTotals) {
  const total = totalRouted(sums);
  return { month, uploads: Number(total.uploads), ...presentRouted(total) };
}

/** In the catalogue's order; those that it has no more at the end. */
function presentProviders({ providers }: Catalogue, { byProvider = {} }: MonthlyTotals) {
  return [...new Set([...providers, ...Object.keys(byProvider)])].flatMap((provider) => {
    const routed = totalRouted({ byProvider: { [provider]: byProvider[provider] ?? {} } });
    if (routed.uploads === 0n) return [];
    return [{ provider, files: Number(routed.uploads), ...presentRouted(routed) }];
  });
}

function presentRouted({ bytes, savedMicroUsd }: Routed) {
  return {
    gbRouted: Number(bytes) / BYTES_PER_DECIMAL_GB,
    savedVsAwsUsd: microToUsd(savedMicroUsd),
  };
}
