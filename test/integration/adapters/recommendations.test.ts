import assert from 'node:assert/strict';
import { NO_COUNTS } from '../../../domain/migration/counts.ts';
import { insertApproved, openStored } from '../../harness/stored-approval.ts';
import { freshId, NOW, openTestDatabase, type TestDatabase } from './database.ts';

describe('an approved recommendation', () => {
  let database: TestDatabase;
  before(async () => {
    database = await openTestDatabase();
  });
  after(() => database.close());

  for (const isSuperseded of [false, true])
    it(`is ${isSuperseded ? 'superseded' : 'open'} when it is withdrawn ${isSuperseded ? 'after' : 'without'} a newer scan`, async () => {
      const { recommendations } = database.records;
      const key = await insertApproved(database.records, { accountId: freshId('account') });
      const approved = (await recommendations.findApproved(key)) ?? assert.fail();
      if (isSuperseded) await recommendations.supersedeAll(approved.connectionId, new Date());
      assert.equal((await recommendations.find(key))?.status, 'approved');
      await recommendations.withdraw(approved);
      const found = await recommendations.find(key);
      assert.equal(found?.status, isSuperseded ? 'superseded' : 'open');
      assert.equal(found.approval, null);
    });

  it('uses its providers until the end of its migration is stored', async () => {
    const { recommendations, migrations } = database.records;
    const accountId = freshId('account');
    const inUse = () =>
      Promise.all(
        (['aws', 'b2', 'r2'] as const).map((provider) =>
          recommendations.isProviderInUse(accountId, provider),
        ),
      );
    assert.deepEqual(await inUse(), [false, false, false]);
    const { migrationId } = await insertApproved(database.records, { accountId });
    assert.deepEqual(await inUse(), [true, true, false], 'before the migration has begun');
    await openStored(database.records, { migrationId, accountId });
    assert.deepEqual(await inUse(), [true, true, false]);
    const end = { status: 'completed', error: null, counts: NO_COUNTS } as const;
    await migrations.end(migrationId, end, NOW);
    assert.deepEqual(await inUse(), [false, false, false]);
  });
});
