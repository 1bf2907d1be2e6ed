import {
  formatBytes,
  formatNumber,
  type Connection,
  type ScanResult,
} from '@storage-routing/client';
import { escapeText, table } from '../io/text.ts';
import { ruleText } from './schedule.ts';

/** Formats a new connection. */
export function connectionText({ connectionId, roleArn, ...connection }: Connection): string {
  const { regions, bucketCount, warnings } = connection;
  return [
    `${connectionId}  ${escapeText(roleArn)}: ${bucketCount} buckets in ${escapeText(regions.join(', '))}`,
    ...warnings.map((warning) => `  warning: ${escapeText(warning)}`),
  ].join('\n');
}

/** Formats all connections. */
export function connectionsText(items: readonly Connection[]): string {
  if (items.length === 0) return 'no cloud account is connected: srs connect';
  const rows = items.map(({ connectionId, roleArn, regions, bucketCount, schedule, createdAt }) =>
    [
      connectionId,
      roleArn,
      regions.join(','),
      String(bucketCount),
      schedule === null ? '-' : `every ${ruleText(schedule)}`,
      createdAt,
    ].map(escapeText),
  );
  return table([['CONNECTION', 'ROLE', 'REGIONS', 'BUCKETS', 'SCANNED', 'SINCE'], ...rows]);
}

/** Formats the progress of a scan. */
export function scanProgress({ status, progress }: ScanResult): string {
  const { bucketsDone, bucketsTotal, objects, bytes } = progress;
  return `${status}: ${bucketsDone} of ${bucketsTotal} buckets, ${formatNumber(objects)} objects, ${formatBytes(bytes)}`;
}
