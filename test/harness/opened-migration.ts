import type { OpenedMigration } from '../../messages/migration.ts';

/** What a workflow knows of its migration, for tests whose activities are fakes. */
export const OPENED_MIGRATION = {
  from: 'bucket/',
  provider: 'b2',
  to: 'b2:target/bucket/',
  approvedBy: 'person',
  quotedUsd: 1,
  round: 1,
  requestId: 'request-of-the-approval',
} as const satisfies OpenedMigration;
