import {
  escapeText,
  formatBytes,
  formatMoney,
  formatNumber,
  type RoutingHistoryPage,
  type ScanLine,
} from '@storage-routing/client';
import { pageText, table } from '../io/text.ts';

export function scansText({ items }: { items: readonly ScanLine[] }): string {
  if (items.length === 0) return 'no scan in the last 90 days: srs scan <connectionId>';
  const heads = ['SCAN', 'STATUS', 'STARTED', 'OBJECTS', 'SIZE', 'A MONTH', 'SAVES', 'VERDICT'];
  return table([heads, ...items.map(scanRow)]);
}

function scanRow(scan: ScanLine): string[] {
  const usd = (amount: number | null): string => (amount === null ? '-' : formatMoney(amount));
  return [
    scan.scanId,
    scan.status,
    scan.startedAt,
    formatNumber(scan.objects),
    formatBytes(scan.bytes),
    usd(scan.currentMonthlyCostUsd),
    usd(scan.monthlySavingsUsd),
    scan.verdict ?? '-',
  ];
}

export function uploadsText(page: RoutingHistoryPage): string {
  if (page.total === 0) return 'no upload yet: srs put <file>';
  return pageText(
    page,
    ['FILE', 'STATUS', 'STORE', 'SIZE', 'SAVES A MONTH', 'CREATED', 'NAME'],
    ({ fileId, status, provider, fileSizeBytes, savedVsAwsUsd, createdAt, fileName }) => [
      fileId,
      status,
      provider,
      formatBytes(fileSizeBytes),
      formatMoney(savedVsAwsUsd),
      createdAt,
      escapeText(fileName),
    ],
  );
}
