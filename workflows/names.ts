import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** One fleet of workers per queue, each scaled by itself. */
export const TASK_QUEUES = ['uploads', 'scans', 'migrations'] as const;
export type TaskQueue = (typeof TASK_QUEUES)[number];

/** The types of workflow, as Temporal knows them: each is an exported function of that name. */
export const UPLOAD_WORKFLOW = 'upload';
export const SWEEP_UPLOADS_WORKFLOW = 'sweepUploads';
export const RECONCILE_QUOTA_WORKFLOW = 'reconcileQuota';

/** One workflow per upload, found by what a person knows: the file's id. */
export function uploadWorkflowId(fileId: string): string {
  return `upload/${fileId}`;
}

/** What an operator can filter by in Temporal's list of workflows. */
export const SEARCH_ATTRIBUTES = {
  accountId: defineSearchAttributeKey('AccountId', SearchAttributeType.KEYWORD),
  kind: defineSearchAttributeKey('Kind', SearchAttributeType.KEYWORD),
  phase: defineSearchAttributeKey('Phase', SearchAttributeType.KEYWORD),
  provider: defineSearchAttributeKey('Provider', SearchAttributeType.KEYWORD),
} as const;
