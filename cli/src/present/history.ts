import {
  escapeText,
  formatBytes,
  formatMoney,
  formatNumber,
  type RoutingHistoryPage,
  type ScanLine,
} from '@storage-routing/client';
import { type ListPart, pageText } from '../io/text.ts';

const SCAN_HEADS = ['SCAN', 'STATUS', 'STARTED', 'OBJECTS', 'SIZE', 'A MONTH', 'SAVES', 'VERDICT'];

/** @param more what asks for the next page, before its offset */
export function scansText(page: ListPart<ScanLine>, more?: string): string {
  if (page.total === 0) return 'no scan in the last 90 days: srs scan <connectionId>';
  return pageText(page, SCAN_HEADS, scanRow, more);
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
