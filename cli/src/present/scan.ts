import {
  describeRule,
  escapeText,
  formatBytes,
  formatNumber,
  type Connection,
  type ScanResult,
} from '@storage-routing/client';
import { table } from '../io/text.ts';

export function connectionText(connection: Connection): string {
  const { connectionId, regions, bucketCount, warnings } = connection;
  const where = regions === undefined ? '' : ` in ${regions.join(', ')}`;
  return [
    `${connectionId}  ${escapeText(`${sourceText(connection)}: ${bucketCount} buckets${where}`)}`,
    ...warnings.map((warning) => `  warning: ${escapeText(warning)}`),
  ].join('\n');
}

type Shown = Omit<Connection, 'externalId'>;

export function connectionsText({ items }: { items: readonly Shown[] }): string {
  if (items.length === 0) return 'nothing is connected: srs connect';
  const rows = items.map((connection) =>
    [
      connection.connectionId,
      sourceText(connection),
      scopeText(connection),
      String(connection.bucketCount),
      connection.schedule === null ? '-' : `every ${describeRule(connection.schedule)}`,
      connection.createdAt,
    ].map(escapeText),
  );
  return table([['CONNECTION', 'SOURCE', 'READS', 'BUCKETS', 'SCANNED', 'SINCE'], ...rows]);
}

/** The role of an AWS account, or the store. */
function sourceText({ roleArn, provider = '' }: Shown): string {
  return roleArn ?? provider;
}

/** The regions of an account; the named buckets of a store, or `all`. */
function scopeText({ regions, buckets }: Shown): string {
  if (regions !== undefined) return regions.join(',');
  return buckets ? [...buckets, 'the stored one'].join(',') : 'all';
}

export function scanProgress({ status, progress }: ScanResult): string {
  const { bucketsDone, bucketsTotal, objects, bytes } = progress;
  return `${status}: ${bucketsDone} of ${bucketsTotal} buckets, ${formatNumber(objects)} objects, ${formatBytes(bytes)}`;
}
