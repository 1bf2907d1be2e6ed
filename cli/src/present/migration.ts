import type { ListedMigration, Migration, MigrationsPage } from '@storage-routing/client';
import { pageText, shown, shownBytes, shownCount, shownUsd } from '../io/text.ts';

const SHOWN_FAILURES = 10;

/** Formats the state of a migration. */
export function migrationText(migration: Migration): string {
  const { source, target, status, quote, progress, notCarried, error } = migration;
  const { selector, bucket } = source;
  return [
    `${status}: ${shown(`${bucket}/${selector.prefix ?? ''}`)} to ${target.provider} ${shown(`${target.bucketName}/${target.keyPrefix}`)}`,
    `copied   ${shownCount(progress.objectsCopied)} of ${shownCount(progress.objectsTotal)} objects, ${shownBytes(progress.bytesCopied)} of ${shownBytes(progress.bytesTotal)}`,
    `besides  ${shownCount(progress.objectsSkipped)} equal before, ${shownCount(progress.objectsFailed)} failed`,
    `quote    ${shownUsd(quote.totalUsd)}, approved by ${shown(migration.approvedBy)} at ${migration.approvedAt}`,
    ...notCarried.map(({ what, objects }) => `lost     ${what} of ${shownCount(objects)} objects`),
    ...(error === null ? [] : [`reason   ${shown(error.message)} (${shown(error.code)})`]),
    ...failuresText(migration),
  ].join('\n');
}

function failuresText({ failures, progress }: Migration): string[] {
  const lines = failures
    .slice(0, SHOWN_FAILURES)
    .map(({ key, code, reason }) => `failed   ${shown(key)}: ${shown(reason)} (${shown(code)})`);
  const more = progress.objectsFailed - lines.length;
  return more > 0
    ? [...lines, `         and ${shownCount(more)} more: srs migration report`]
    : lines;
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

/** Formats a page of migrations. */
export function migrationsText(page: MigrationsPage): string {
  if (page.total === 0) return 'there is none (srs approve starts one)';
  return pageText(page, HEADS, rowOf);
}

function rowOf(item: ListedMigration): string[] {
  return [
    item.migrationId,
    item.status,
    item.percent === null ? '-' : `${item.percent} %`,
    `${item.bucket}/${item.prefix ?? ''} to ${item.targetProvider}`,
    shownBytes(item.bytesTotal),
    shownUsd(item.quoteTotalUsd),
    shownUsd(item.monthlySavingsUsd),
    item.approvedAt,
  ].map(shown);
}

/** Formats the progress for a bar. */
export function migrationProgress({ status, progress }: Migration): string {
  const { objectsCopied, objectsTotal, bytesPerSecond, etaSeconds } = progress;
  const rate = bytesPerSecond === 0 ? '' : `, ${shownBytes(bytesPerSecond)}/s`;
  const eta = etaSeconds === null ? '' : `, ${shownCount(Math.ceil(etaSeconds))} s left`;
  return `${status}: ${shownCount(objectsCopied)} of ${shownCount(objectsTotal)} objects${rate}${eta}`;
}
