import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { OpenedMigration } from '../messages/migration.ts';
import type { UploadPhase } from '../messages/upload.ts';
import type { MigrationState } from './migration-state.ts';
import { formatUsd } from '../domain/format.ts';
import { code, text } from '../domain/markdown.ts';
import { SEARCH_ATTRIBUTES } from '../messages/names.ts';
import type { ScanState } from './scan-state.ts';

/** Shows an operator what the workflow of an upload does. */
export function showUpload(phase: UploadPhase, deadline: string): void {
  setCurrentDetails(`**${phase}**\n\nThe window closes at ${deadline}.`);
  showPhase(phase);
}

function showPhase(phase: string): void {
  const shown = workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTES.phase);
  // An upsert of an unregistered attribute blocks the workflow; those set at start are registered.
  if (shown === undefined || shown === phase) return;
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.phase, value: phase }]);
}

/** Shows an operator the progress of a scan, bucket by bucket. */
export function showScan(phase: string, scanId: string, scan: ScanState): void {
  const { progress, requests } = scan.view();
  const { bucketsDone, bucketsTotal, objects, bytes } = progress;
  const rows = scan
    .shown()
    .map(
      (bucket) =>
        `| ${code(bucket.name)} | ${bucket.objects} | ${bucket.bytes} | ${bucket.state} |`,
    );
  setCurrentDetails(
    [
      // The summary that the start has set is lost when a run continues as new.
      `Scan ${scanId}`,
      '',
      `**${phase}**: ${bucketsDone} of ${bucketsTotal} buckets, ${objects} objects, ${bytes} bytes; ` +
        `${requests.list + requests.other} requests so far.`,
      ...(rows.length === 0
        ? []
        : ['', '| bucket | objects | bytes | state |', '| --- | ---: | ---: | --- |', ...rows]),
    ].join('\n'),
  );
  showPhase(phase);
}

/** Shows an operator a migration's source, target, approval and progress. */
export function showMigration(opened: OpenedMigration, migration: MigrationState): void {
  const { status, progress } = migration.view();
  const { objectsTotal, bytesTotal, counts } = progress;
  const failure = migration.lastFailure();
  setCurrentDetails(
    [
      `**${status}**: ${text(opened.from)} to ${text(opened.to)}`,
      '',
      `Approved by ${text(opened.approvedBy)}, quoted at ${formatUsd(opened.quotedUsd)}.`,
      '',
      `${counts.copied} objects copied, ${counts.skipped} skipped, ${counts.failed} failed, of ${objectsTotal}; ` +
        `${counts.bytesCopied} of ${bytesTotal} bytes copied, ${migration.bytesPerSecond()} bytes/s.`,
      ...(failure === null ? [] : ['', `Last failure: ${code(failure)}.`]),
    ].join('\n'),
  );
  showPhase(status);
  showProvider(opened.provider);
}

/** The approved provider may differ from the recommended one that the start has set. */
function showProvider(provider: string): void {
  const shown = workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTES.provider);
  if (shown === undefined || shown === provider) return;
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.provider, value: provider }]);
}
