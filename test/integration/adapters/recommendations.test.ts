import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { NO_COUNTS } from '../../../domain/migration/counts.ts';
import { insertMove } from '../../harness/stored-recommendation.ts';
import { freshId, NOW, openTestDatabase, type TestDatabase } from './database.ts';

describe('an approved recommendation', () => {
  let database: TestDatabase;
  before(async () => {
    database = await openTestDatabase();
  });
  after(() => database.close());

  it('uses its providers until the end of its migration is stored', async () => {
    const { recommendations, migrations } = database.records;
    const accountId = freshId('account');
    const move = { accountId, bucket: 'source', region: 'us-east-1', objects: 1, bytes: 1 };
    const recommendationId = await insertMove(database.records, move);
    const inUse = () =>
      Promise.all(
        (['aws', 'b2', 'r2'] as const).map((provider) =>
          recommendations.isProviderInUse(accountId, provider),
        ),
      );
    assert.deepEqual(await inUse(), [false, false, false]);

    const found = await recommendations.find({ recommendationId, accountId });
    const migrationId = recommendationId;
    const approved = await recommendations.approve(
      { recommendationId, accountId },
      {
        targetProvider: 'b2',
        quote: found?.options[0]?.quote ?? assert.fail(),
        approvedBy: 'owner',
        approvedAt: NOW,
        requestId: 'approval',
        source: { provider: 'aws', bucketName: 'source', region: 'us-east-1' },
        target: { provider: 'b2', bucketName: 'target', region: 'us-west-002' },
      },
    );
    assert.ok(approved);
    assert.deepEqual(await inUse(), [true, true, false], 'before the migration has begun');
    await migrations.open({
      migrationId,
      accountId,
      connectionId: randomUUID(),
      asOf: NOW,
      approvedAt: NOW,
      startedAt: NOW,
    });
    assert.deepEqual(await inUse(), [true, true, false]);
    const end = { status: 'completed', error: null, counts: NO_COUNTS } as const;
    await migrations.end(migrationId, end, NOW);
    assert.deepEqual(await inUse(), [false, false, false]);
  });
});
