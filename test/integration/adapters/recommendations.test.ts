import assert from 'node:assert/strict';
import type {
  ApprovedRecommendation,
  RecommendationKey,
} from '../../../adapters/mongo/recommendations.ts';
import { NO_COUNTS } from '../../../domain/migration/counts.ts';
import { insertMove } from '../../harness/stored-recommendation.ts';
import { freshId, NOW, openTestDatabase, type TestDatabase } from './database.ts';

describe('an approved recommendation', () => {
  let database: TestDatabase;
  before(async () => {
    database = await openTestDatabase();
  });
  after(() => database.close());

  async function approve(key: RecommendationKey): Promise<ApprovedRecommendation> {
    const { recommendations } = database.records;
    const { options } = (await recommendations.find(key)) ?? assert.fail();
    const isApproved = await recommendations.approve(key, {
      targetProvider: 'b2',
      quote: options[0]?.quote ?? assert.fail(),
      approvedBy: 'owner',
      approvedAt: NOW,
      requestId: 'approval',
      source: { provider: 'aws', bucketName: 'source', region: 'us-east-1' },
      target: { provider: 'b2', bucketName: 'target', region: 'us-west-002' },
    });
    assert.ok(isApproved);
    const { recommendationId: migrationId, accountId } = key;
    return (await recommendations.findApproved({ migrationId, accountId })) ?? assert.fail();
  }

  it('is open again when it is withdrawn, unless a newer scan has completed', async () => {
    const { recommendations } = database.records;
    const accountId = freshId('account');
    const move = { accountId, bucket: 'source', region: 'us-east-1', objects: 1, bytes: 1 };
    for (const isSuperseded of [false, true]) {
      const recommendationId = await insertMove(database.records, move);
      const key = { recommendationId, accountId };
      const approved = await approve(key);
      if (isSuperseded) await recommendations.supersedeAll(approved.connectionId, new Date());
      assert.equal((await recommendations.find(key))?.status, 'approved');
      await recommendations.withdraw(approved);
      const found = await recommendations.find(key);
      assert.equal(found?.status, isSuperseded ? 'superseded' : 'open');
      assert.equal(found.approval, null);
    }
  });

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

    const migrationId = recommendationId;
    await approve({ recommendationId, accountId });
    assert.deepEqual(await inUse(), [true, true, false], 'before the migration has begun');
    await migrations.open({
      migrationId,
      accountId,
      cloudAccountId: '111122223333',
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
