import {
  escapeText,
  formatBytes,
  formatMoney,
  formatNumber,
  type ListedMigration,
  type Migration,
  type MigrationsPage,
} from '@storage-routing/client';
import { pageText, formatDuration } from '../io/text.ts';

export const SHOWN_FAILURES = 10;

export function migrationText(migration: Migration): string {
  const { source, target, status, quote, progress, notCarried, error, round } = migration;
  const { selector, bucket } = source;
  return [
    escapeText(
      `${status}: ${source.provider} ${bucket}/${selector.prefix ?? ''} to ${target.provider} ${target.bucketName}/${target.keyPrefix}`,
    ),
    `copied   ${formatNumber(progress.objectsCopied)} of ${formatNumber(progress.objectsTotal)} objects, ${formatBytes(progress.bytesCopied)} of ${formatBytes(progress.bytesTotal)}`,
    `skipped  ${formatNumber(progress.objectsSkipped)} already equal, ${formatNumber(progress.objectsFailed)} failed`,
    ...(round > 1 ? [roundText(migration)] : []),
    `quote    ${formatMoney(quote.totalUsd)}, approved by ${escapeText(migration.approvedByName)} at ${migration.approvedAt}`,
    ...notCarried.map(
      ({ what, objects }) => `lost     ${what} of ${formatNumber(objects)} objects`,
    ),
    ...(error === null
      ? []
      : [`reason   ${escapeText(error.message)} (${escapeText(error.code)})`]),
    ...failuresText(migration),
  ].join('\n');
}

/** The latest round, after the approval's copy. */
function roundText({ round, rounds }: Migration): string {
  const {
    objectsUnchanged = 0,
    objectsGone = 0,
    objectsReleased = 0,
    objectsRemoved = 0,
    costUsd = 0,
  } = rounds.at(-1) ?? {};
  return `round    ${round}: ${formatNumber(objectsUnchanged)} unchanged, ${formatNumber(objectsGone)} gone, ${formatNumber(objectsReleased)} released, ${formatNumber(objectsRemoved)} removed, ${formatMoney(costUsd)}`;
}

function failuresText({ migrationId, failures, progress }: Migration): string[] {
  const lines = failures
    .slice(0, SHOWN_FAILURES)
    .map(
      ({ key, code, reason }) =>
        `failed   ${escapeText(key)}: ${escapeText(reason)} (${escapeText(code)})`,
    );
  const unlisted = progress.objectsFailed - lines.length;
  if (unlisted > 0) lines.push(`         and ${formatNumber(unlisted)} more: srs migration report`);
  const next = `next     when the cause is gone: srs round ${migrationId} --max-total-usd <usd> --wait`;
  return lines.length > 0 ? [...lines, next] : lines;
}

const HEADS = [
  'MIGRATION',
  'STATUS',
  'DONE',
  'WHAT',
  'SIZE',
  'COST ONCE',
  'SAVES A MONTH',
  'APPROVED',
];

/** @param more what asks for the next page, before its offset */
export function migrationsText(page: MigrationsPage, more?: string): string {
  if (page.total === 0) return 'no migration: srs approve starts one';
  return pageText(page, HEADS, migrationRow, more);
}

function migrationRow(item: ListedMigration): string[] {
  return [
    item.migrationId,
    item.status,
    item.percent === null ? '-' : `${item.percent} %`,
    `${item.bucket}/${item.prefix ?? ''} to ${item.targetProvider}`,
    formatBytes(item.bytesTotal),
    formatMoney(item.quoteTotalUsd),
    formatMoney(item.monthlySavingsUsd),
    item.approvedAt,
  ].map(escapeText);
}

export function migrationProgress({ status, progress }: Migration): string {
  const { objectsCopied, objectsTotal } = progress;
  return `${status}: ${formatNumber(objectsCopied)} of ${formatNumber(objectsTotal)} objects${rateText(progress)}`;
}

/** The speed and the time that is left, as far as they are known. */
export function rateText({
  bytesPerSecond,
  etaSeconds,
}: Pick<Migration['progress'], 'bytesPerSecond' | 'etaSeconds'>): string {
  const rate = bytesPerSecond === 0 ? '' : `, ${formatBytes(bytesPerSecond)}/s`;
  return `${rate}${etaSeconds === null ? '' : `, ${formatDuration(etaSeconds)} left`}`;
}
