import type { DeliveryInput } from './webhook.ts';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** One fleet of workers per queue, each scaled by itself. */
export const TASK_QUEUES = ['uploads', 'scans', 'migrations', 'webhooks'] as const;
export type TaskQueue = (typeof TASK_QUEUES)[number];

/** The types of workflow, as Temporal knows them: each is an exported function of that name. */
export const UPLOAD_WORKFLOW = 'upload';
export const SWEEP_UPLOADS_WORKFLOW = 'sweepUploads';
export const RECONCILE_QUOTA_WORKFLOW = 'reconcileQuota';
export const SCAN_WORKFLOW = 'scan';
export const SWEEP_SCANS_WORKFLOW = 'sweepScans';
export const SWEEP_PRICES_WORKFLOW = 'sweepPrices';
export const MIGRATION_WORKFLOW = 'migration';
export const RELEASE_WORKFLOW = 'release';
export const RELOCATION_WORKFLOW = 'relocation';
export const DRILL_WORKFLOW = 'drill';
export const DELIVER_WORKFLOW = 'deliver';
export const SWEEP_WEBHOOKS_WORKFLOW = 'sweepWebhooks';
export const SWEEP_MIGRATIONS_WORKFLOW = 'sweepMigrations';

/** One workflow per upload, addressed by the file's id. */
export function uploadWorkflowId(fileId: string): string {
  return `upload/${fileId}`;
}

/** One scan of a connection at a time: the id is the lock. */
export function scanWorkflowId(connectionId: string): string {
  return `scan/${connectionId}`;
}

/** A recommended move, from its approval to its end. A later round has a workflow of its own. */
export function migrationWorkflowId(migrationId: string, round = 1): string {
  return round === 1 ? `migration/${migrationId}` : `migration/${migrationId}/round-${round}`;
}

/** Checks whether the source of a migration can be given up. */
export function releaseWorkflowId(releaseId: string): string {
  return `release/${releaseId}`;
}

/** Moves files of an account from one of its places to another. */
export function relocationWorkflowId(relocationId: string): string {
  return `relocation/${relocationId}`;
}

/** Copies a sample of the objects of a place to another one, reads it back and removes it. */
export function drillWorkflowId(drillId: string): string {
  return `drill/${drillId}`;
}

/** One attempt to send an event to a webhook. */
export function deliveryWorkflowId({ eventId, webhookId }: DeliveryInput): string {
  return `webhook/${eventId}/${webhookId}`;
}

/** Carries the id of the request from the API to the activity. */
export const REQUEST_HEADER = 'request-id';

/** The failure type of a defect in our own code: another attempt fails as well. */
export const DEFECT = 'defect';

/** The filters of Temporal's list of workflows. */
export const SEARCH_ATTRIBUTES = {
  accountId: defineSearchAttributeKey('AccountId', SearchAttributeType.KEYWORD),
  kind: defineSearchAttributeKey('Kind', SearchAttributeType.KEYWORD),
  phase: defineSearchAttributeKey('Phase', SearchAttributeType.KEYWORD),
  provider: defineSearchAttributeKey('Provider', SearchAttributeType.KEYWORD),
} as const;
