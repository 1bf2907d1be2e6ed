import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { OpenedMigration, PendingApproval } from '../messages/migration.ts';
import type { Swept } from '../activities/common/sweep.ts';
import type { DrillSlice } from '../messages/drill.ts';
import type { RelocationSlice } from '../messages/relocation.ts';
import type { UploadPhase } from '../messages/upload.ts';
import type { MigrationState } from './migration-state.ts';
import { formatBytes, formatCount, formatMoney, formatNumber } from '../shared/amounts.ts';
import { code, table, text } from '../domain/common/format.ts';
import { SEARCH_ATTRIBUTES } from '../messages/names.ts';
import type { ScanState } from './scan-state.ts';

export function showUpload(phase: UploadPhase, deadline: string): void {
  setCurrentDetails(`**${phase}**\n\nThe window closes at ${deadline}.`);
  showAttribute('phase', phase);
}

function showAttribute(name: 'phase' | 'provider', value: string): void {
  const key = SEARCH_ATTRIBUTES[name];
  const shown = workflowInfo().typedSearchAttributes.get(key);
  // An upsert of an unregistered attribute blocks the workflow; those set at start are registered.
  if (shown !== undefined && shown !== value) upsertSearchAttributes([{ key, value }]);
}

export function showScan(phase: string, scanId: string, scan: ScanState): void {
  const { progress, requests } = scan.view();
  const { bucketsDone, bucketsTotal, objects, bytes } = progress;
  const rows = scan
    .shown()
    .map(({ name, objects: held, bytes: size, state, error }) => [
      code(name),
      formatNumber(held),
      formatBytes(size),
      error ?? state,
    ]);
  setCurrentDetails(
    [
      // The summary that the start has set is lost when a run continues as new.
      `Scan ${scanId}`,
      '',
      `**${phase}**: ${formatNumber(bucketsDone)} of ${formatCount(bucketsTotal, 'bucket')}, ` +
        `${formatCount(objects, 'object')}, ${formatBytes(bytes)}; ` +
        `${formatCount(requests.list + requests.other, 'request')} so far.`,
      ...(rows.length === 0 ? [] : ['', ...table(['bucket', '#objects', '#size', 'state'], rows)]),
    ].join('\n'),
  );
  showAttribute('phase', phase);
}

const WAITING_REASONS: Readonly<Record<PendingApproval['status'], string>> = {
  open: 'the recommended move is not approved yet.',
  approved: 'the move is approved, and its migration begins.',
  expired: 'the recommended move was not approved in time.',
  superseded: 'a newer scan has superseded the recommended move.',
  missing: 'the recommendation does not exist.',
};

/** Shows an operator what a recommended move waits for, or why it no longer waits. */
export function showWaiting({ status }: PendingApproval): void {
  setCurrentDetails(`**${status === 'open' ? 'waiting' : status}**: ${WAITING_REASONS[status]}`);
  if (status !== 'open' && status !== 'approved') showAttribute('phase', status);
}

export function showMigration(opened: OpenedMigration, migration: MigrationState): void {
  const { status, progress } = migration.view();
  const { objectsTotal, bytesTotal, counts } = progress;
  const { lastFailure } = migration;
  setCurrentDetails(
    [
      `**${status}**: ${text(opened.from)} to ${text(opened.to)}`,
      '',
      opened.round === 1
        ? `Approved by ${text(opened.approvedBy)}, quoted at ${formatMoney(opened.quotedUsd)}.`
        : `Round ${opened.round}, started by ${text(opened.approvedBy)}, at most ${formatMoney(opened.quotedUsd)}.`,
      '',
      `${formatCount(counts.copied, 'object')} copied, ${formatNumber(counts.skipped)} skipped, ` +
        `${formatNumber(counts.failed)} failed, of ${formatNumber(objectsTotal)}; ` +
        `${formatBytes(counts.bytesCopied)} of ${formatBytes(bytesTotal)} copied, ` +
        `${formatBytes(migration.bytesPerSecond())}/s.`,
      ...(lastFailure === null ? [] : ['', `Last failure: ${code(lastFailure)}.`]),
    ].join('\n'),
  );
  showAttribute('phase', status);
  // It may differ from the recommended one that the start has set.
  showAttribute('provider', opened.provider);
}

export function showRelocation({ status, files, moved, failed }: RelocationSlice): void {
  setCurrentDetails(
    `**${status}**: ${formatNumber(moved)} of ${formatCount(files, 'file')} moved, ` +
      `${formatNumber(failed)} failed.`,
  );
  showAttribute('phase', status);
}

export function showDrill({ status, files, copied, failed }: DrillSlice): void {
  setCurrentDetails(
    `**${status}**: ${formatNumber(copied)} of ${formatCount(files, 'file')} copied, ` +
      `${formatNumber(failed)} failed.`,
  );
  showAttribute('phase', status);
}

export function showSweep(swept: Swept<string>, beganAt: Date): void {
  const outcomes = Object.entries(swept)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${formatNumber(count)} ${outcome}`);
  setCurrentDetails(
    `The sweep of ${beganAt.toISOString()}: ${outcomes.join(', ') || 'nothing was due'}.`,
  );
}
