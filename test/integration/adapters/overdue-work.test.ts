import assert from 'node:assert/strict';
import { addSeconds } from '../../../domain/common/time.ts';
import { insertMove } from '../../harness/stored-recommendation.ts';
import { fileOf, freshId, NOW, testDatabase } from './database.ts';

describe('overdue work', () => {
  const database = testDatabase('test');

  const read = async () => {
    const { sweeps, refusedDeletes } = await database.records.readOverdueWork(NOW);
    const seconds = Object.fromEntries(
      sweeps.map(({ sweep, overdueSeconds }) => [sweep, overdueSeconds]),
    );
    return { ...seconds, refusedDeletes };
  };
  const NONE = { uploads: 0, scans: 0, migrations: 0, refusedDeletes: 0 };

  it('is none where nothing is stored, and where nothing is due yet', async () => {
    assert.deepEqual(await read(), NONE);
    await database.records.files.insert(fileOf({ nextAttemptAt: addSeconds(NOW, 1) }));
    await database.records.files.insert(fileOf({ status: 'active' }));
    assert.deepEqual(await read(), NONE);
  });

  it('is as old as the longest due of each sweep', async () => {
    for (const seconds of [30, 1_200, 600])
      await database.records.files.insert(fileOf({ nextAttemptAt: addSeconds(NOW, -seconds) }));
    const scan = { accountId: 'a', nextAttemptAt: addSeconds(NOW, -90) };
    await database.db.collection('scans').insertOne(scan);
    const accountId = freshId('account');
    await insertMove(database.records, { accountId });
    const nextAttemptAt = addSeconds(NOW, -7);
    await database.db.collection('recommendations').updateOne({}, { $set: { nextAttemptAt } });
    assert.deepEqual(await read(), { uploads: 1_200, scans: 90, migrations: 7, refusedDeletes: 0 });
  });

  it('has the deletes that are repeated for over an hour, and no other file', async () => {
    const nextAttemptAt = addSeconds(NOW, 600);
    for (const attempts of [5, 6, 40])
      await database.records.files.insert(fileOf({ status: 'deleting', attempts, nextAttemptAt }));
    await database.records.files.insert(fileOf({ attempts: 9, nextAttemptAt }));
    assert.deepEqual(await read(), { ...NONE, refusedDeletes: 2 });
  });
});
