import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { UploadState } from './messages.ts';
import { SEARCH_ATTRIBUTES } from './names.ts';

/** Shows an operator where an upload stands. */
export function showUpload(status: UploadState['status'] | undefined, deadline: string): void {
  const phase = status ?? 'looking';
  setCurrentDetails(`**${phase}**\n\nThe window closes at ${deadline}.`);
  const shown = workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTES.phase);
  // Only what the start has set is registered for certain; an upsert of another blocks the workflow.
  if (shown === undefined || shown === phase) return;
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.phase, value: phase }]);
}
