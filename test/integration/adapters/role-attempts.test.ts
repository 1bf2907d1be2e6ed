import assert from 'node:assert/strict';
import { addSeconds } from '../../../domain/common/time.ts';
import { freshId, NOW, testDatabase, race } from './database.ts';

const FREE = 10;

describe('the attempts to connect a role', () => {
  const database = testDatabase();
  let roleArn: string;
  beforeEach(() => {
    roleArn = freshId('arn:aws:iam::111122223333:role/r');
  });

  const begin = (afterSeconds = 0) =>
    database.records.roleAttempts.begin(roleArn, addSeconds(NOW, afterSeconds));
  const useUp = async () => {
    for (let attempt = 0; attempt < FREE; attempt += 1) assert.equal(await begin(), true);
  };

  it('are free at first, then ever more rare, to one in 15 minutes; those between do not count', async () => {
    await useUp();
    let atSeconds = 0;
    for (const delay of [60, 120, 240, 480, 900, 900]) {
      for (const _attempt of [1, 2, 3]) assert.equal(await begin(atSeconds + delay - 1), false);
      atSeconds += delay;
      assert.equal(await begin(atSeconds), true, String(delay));
    }
  });

  it('are free also for a process whose clock is behind', async () => {
    assert.equal(await begin(1), true);
    assert.equal(await begin(0), true);
  });

  it('are counted exactly where many are made at once', async () => {
    const begun = await race(30, () => begin());
    assert.ok(begun.filter(Boolean).length <= FREE, String(begun));
    while (await begin());
    const stored = await database.db
      .collection<{ _id: string; attempts: number }>('roleAttempts')
      .findOne({ _id: roleArn });
    assert.equal(stored?.attempts, FREE);
  });

  it('are forgotten when the role was assumed, and a day after the last one', async () => {
    await useUp();
    await database.records.roleAttempts.clear(roleArn);
    await useUp();
    assert.equal(await begin(60 + 86_400 - 1), true);
    assert.equal(await begin(60 + 86_400 + 118), false);
    const later = 60 + 3 * 86_400;
    for (let attempt = 0; attempt < FREE; attempt += 1) assert.equal(await begin(later), true);
    assert.equal(await begin(later), false);
  });
});
