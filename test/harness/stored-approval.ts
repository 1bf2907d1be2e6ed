import { activityOf } from './actor.ts';
import assert from 'node:assert/strict';
import type { RecommendationKey } from '../../adapters/mongo/recommendations/recommendations.ts';
import { openRecords, type Records } from '../../adapters/mongo/records.ts';
import type { Stack } from '../../dev/stack.ts';
import { insertMove, type MoveToInsert } from './stored-recommendation.ts';

/** The records of a stack's service, as its own code reads and writes them. The caller closes them. */
export function openRecordsOf({ environment }: Pick<Stack, 'environment'>): Records {
  const { MONGODB_URI: uri = '', MONGODB_DATABASE: database = '' } = environment;
  return openRecords({ uri, database });
}

/** Stores the approval of an open move to `b2`, without a signal. */
export async function storeApproval(
  { recommendations }: Records,
  key: RecommendationKey,
  approvedAt = new Date(),
): Promise<void> {
  const found = (await recommendations.findRecommendation(key)) ?? assert.fail('no recommendation');
  const option = found.options.find(({ provider }) => provider === 'b2');
  const approval = {
    targetProvider: 'b2' as const,
    quote: option?.quote ?? assert.fail('no move to b2'),
    approvedBy: 'owner',
    approvedByName: 'Olga Owner',
    approvedAt,
    requestId: 'stored',
    source: { provider: 'aws' as const, bucketName: found.bucket, region: found.region },
    target: { provider: 'b2' as const, bucketName: 'target', region: 'us-west-002' },
    keyPrefix: `${found.bucket}/`,
    isDefaultPlace: true,
  };
  const activity = activityOf(key.accountId, 'migration.approved', key.recommendationId);
  const isApproved = await recommendations.approve(key, approval, activity);
  assert.ok(isApproved);
}

/** Stores a move of this account and its approval; the id of both, and of the migration. */
export async function insertApproved(records: Records, move: MoveToInsert, approvedAt?: Date) {
  const key = { recommendationId: await insertMove(records, move), accountId: move.accountId };
  await storeApproval(records, key, approvedAt);
  return { ...key, migrationId: key.recommendationId };
}

/** Stores the beginning of a migration. */
export async function openStored(
  { migrations }: Records,
  { migrationId, accountId }: { readonly migrationId: string; readonly accountId: string },
  at = new Date(),
): Promise<void> {
  const cloudAccountId = '111122223333';
  const times = { asOf: at, approvedAt: at, startedAt: at };
  await migrations.openMigration({ migrationId, accountId, cloudAccountId, ...times });
}
