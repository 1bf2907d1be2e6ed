import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { OpenedMigration, UploadState } from '../messages/messages.ts';
import type { MigrationState } from './migration-state.ts';
import { SEARCH_ATTRIBUTES } from '../messages/names.ts';
import type { ScanState } from './scan-state.ts';

/** Shows an operator where an upload stands. */
export function showUpload(status: UploadState['status'] | undefined, deadline: string): void {
  const phase = status ?? 'looking';
  setCurrentDetails(`**${phase}**\n\nThe window closes at ${deadline}.`);
  showPhase(phase);
}

function showPhase(phase: string): void {
  const shown = workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTES.phase);
  // Only what the start has set is registered for certain; an upsert of another blocks the workflow.
  if (shown === undefined || shown === phase) return;
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.phase, value: phase }]);
}

/** Shows an operator how far a scan has come, bucket by bucket. */
export function showScan(phase: string, table: ScanState): void {
  const { progress, requests } = table.view();
  const { bucketsDone, bucketsTotal, objects, bytes } = progress;
  const rows = table
    .shown()
    .map((bucket) => `| ${bucket.name} | ${bucket.objects} | ${bucket.bytes} | ${bucket.state} |`);
  setCurrentDetails(
    [
      `**${phase}**: ${bucketsDone} of ${bucketsTotal} buckets, ${objects} objects, ${bytes} bytes; ` +
        `${requests.list + requests.other} requests so far.`,
      ...(rows.length === 0
        ? []
        : ['', '| bucket | objects | bytes | state |', '| --- | ---: | ---: | --- |', ...rows]),
    ].join('\n'),
  );
  showPhase(phase);
}

/** Shows an operator what is moved where by whose word, and how far it has come. */
export function showMigration(opened: OpenedMigration, table: MigrationState): void {
  const { status, progress, bytesPerSecond } = table.view();
  const { objectsTotal, objectsCopied, objectsSkipped, objectsFailed } = progress;
  const failure = table.lastFailure();
  setCurrentDetails(
    [
      `**${status}**: ${opened.from} to ${opened.to}`,
      '',
      `Approved by ${opened.approvedBy}, quoted at ${opened.quotedUsd} USD.`,
      '',
      `${objectsCopied} objects copied, ${objectsSkipped} skipped, ${objectsFailed} failed, of ${objectsTotal}; ` +
        `${progress.bytesCopied} of ${progress.bytesTotal} bytes copied, ${bytesPerSecond} bytes/s.`,
      ...(failure === null ? [] : ['', `Last failure: \`${failure}\`.`]),
    ].join('\n'),
  );
  showPhase(status);
  showProvider(opened.provider);
}

/** It was started for the provider that was recommended; another one may have been approved. */
function showProvider(provider: string): void {
  const shown = workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTES.provider);
  if (shown === undefined || shown === provider) return;
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.provider, value: provider }]);
}
