import { activityOf } from '../../harness/actor.ts';
import assert from 'node:assert/strict';
import type { Records } from '../../../adapters/mongo/records.ts';
import type { Account } from '../../../domain/accounts/account.ts';
import { storeApiKey } from '../../../domain/accounts/api-key.ts';
import { addSeconds } from '../../../domain/common/time.ts';
import { expireFile, startDelete } from '../../../operations/uploads/file-transitions.ts';
import {
  DECEMBER,
  fileOf,
  freshId,
  limitsOf,
  NOVEMBER,
  NOW,
  testDatabase,
  race,
  usageOf,
} from './database.ts';

describe('the records of quota, usage and accounts', () => {
  const database = testDatabase();

  describe('quota', () => {
    const period = (month = NOVEMBER) => ({ accountId: freshId('account'), month });
    const quota = () => database.records.quota;
    const fits = async (...call: Parameters<Records['quota']['book']>) =>
      (await quota().book(...call)) !== undefined;
    const counterOf = async ({ accountId }: ReturnType<typeof period>) =>
      (await quota().listCounters(NOVEMBER, '', 10_000)).find(
        (counter) => counter.accountId === accountId,
      ) ?? assert.fail();
    const transitions = () => ({ ...database.records, now: () => NOW });

    it('gives a released place to the next one, also in a process that has not seen the release', async () => {
      const file = fileOf({ sizeBytes: 700 });
      const limits = limitsOf({ uploadsPerMonth: 1 });
      await quota().book(file, 700, limits);
      await database.records.files.insertFile(file);
      assert.equal(await fits(file, 1, limits), false);
      await expireFile(transitions(), file);
      assert.deepEqual(await quota().read(file), { bytes: 0, uploads: 0 });
      assert.deepEqual(await quota().readBookings(file), { bytes: 700, uploads: 1 });
      assert.equal(await fits(file, 1, limits), true);
      assert.equal(await fits(file, 1, limits), false);
    });

    it('stays exact while bookings, withdrawals and releases race', async () => {
      const accountId = freshId('account');
      const at = { accountId, month: NOVEMBER };
      const limits = limitsOf({ uploadsPerMonth: 10 });
      const { files } = database.records;
      const booked = await race(60, async (index) => {
        const booking = await quota().book(at, index, limits);
        if (!booking) return 0;
        if (index % 3 === 0) await quota().withdraw(at, index, booking);
        if (index % 3 === 0) return 1;
        const file = fileOf({ accountId, sizeBytes: index });
        await files.insertFile(file);
        await startDelete(transitions(), file);
        return 1;
      });
      assert.ok(booked.filter(Boolean).length >= 10);
      assert.deepEqual(await quota().read(at), { bytes: 0, uploads: 0 });
    });

    it('counts bytes near 2^53 to the last one', async () => {
      const at = period();
      const booking = await quota().book(at, Number.MAX_SAFE_INTEGER - 1, limitsOf({}));
      assert.ok(booking);
      assert.equal((await quota().read(at)).bytes, Number.MAX_SAFE_INTEGER - 1);
      await quota().book(at, 1, limitsOf({}));
      assert.equal((await quota().read(at)).bytes, Number.MAX_SAFE_INTEGER);
      await quota().withdraw(at, Number.MAX_SAFE_INTEGER - 2, booking);
      assert.equal((await quota().read(at)).bytes, 2);
    });

    it('is lowered once where a booking is both withdrawn and corrected', async () => {
      const [first, second] = [period(), period()];
      for (const at of [first, second]) await quota().book(at, 7, limitsOf({}));
      const surplus = { bytes: 10, uploads: 1 };
      // The withdrawal of a process that was paused comes after the correction.
      const paused = await quota().book(first, 10, limitsOf({}));
      assert.ok(paused);
      const read = await counterOf(first);
      const corrected = await race(5, () => quota().reconcile(read, surplus));
      assert.equal(corrected.filter(Boolean).length, 1, 'of several that have read the same');
      await quota().withdraw(first, 10, paused);
      assert.deepEqual(await quota().read(first), { bytes: 7, uploads: 1 });
      // The withdrawal comes between the reconciliation's read and its write.
      const booking = await quota().book(second, 10, limitsOf({}));
      assert.ok(booking);
      const counter = await counterOf(second);
      await quota().withdraw(second, 10, booking);
      assert.equal(await quota().reconcile(counter, surplus), false);
      assert.deepEqual(await quota().read(second), { bytes: 7, uploads: 1 });
    });
  });

  it('sum the usage of one month of one account, sizes near 2^53 included', async () => {
    const { usage } = database.records;
    const accountId = freshId('account');
    const sizes = [Number.MAX_SAFE_INTEGER - 10, 0, 3, 7];
    for (const sizeBytes of sizes) await usage.record(usageOf({ accountId, sizeBytes }));
    await usage.record(usageOf({ accountId, month: DECEMBER }));
    await usage.record(usageOf());
    const whole = { bytes: Number.MAX_SAFE_INTEGER, uploads: 4 };
    assert.deepEqual(await usage.monthTotals(accountId, NOVEMBER), whole);
    const none = { bytes: 0, uploads: 0 };
    assert.deepEqual(await usage.monthTotals(freshId('account'), NOVEMBER), none);
  });

  describe('accounts', () => {
    const accounts = () => database.records.accounts;
    const saved = activityOf('account', 'provider.saved');
    const create = () => accounts().findOrCreate(freshId('account'), 'free', NOW);
    const reread = async ({ accountId }: Account): Promise<Account> =>
      (await accounts().findAccount(accountId)) ?? assert.fail('the account is gone');
    it('are created once by 20 first calls at once, and keep their plan', async () => {
      const accountId = freshId('account');
      const found = await race(20, () => accounts().findOrCreate(accountId, 'starter', NOW));
      for (const account of found) assert.deepEqual(account, found[0]);
      assert.equal((await accounts().findOrCreate(accountId, 'growth', NOW)).plan, 'starter');
    });

    it('note the use of a key at most once a minute', async () => {
      const account = await create();
      await accounts().setApiKey(account.accountId, storeApiKey('a-key-a-key-a-key', NOW), saved);
      const touchAt = async (seconds: number) => {
        await accounts().touchApiKey(await reread(account), addSeconds(NOW, seconds));
        return (await reread(account)).apiKey?.lastUsedAt;
      };
      assert.equal((await reread(account)).apiKey?.lastUsedAt, undefined);
      assert.deepEqual(await touchAt(0), NOW);
      assert.deepEqual(await touchAt(59), NOW);
      assert.deepEqual(await touchAt(60), addSeconds(NOW, 60));
      assert.deepEqual(await touchAt(90), addSeconds(NOW, 60));
      // The use of an old key is not that of a new one.
      const stale = await reread(account);
      await accounts().setApiKey(account.accountId, storeApiKey('b-key-b-key-b-key', NOW), saved);
      await accounts().touchApiKey(stale, addSeconds(NOW, 300));
      assert.equal((await reread(account)).apiKey?.lastUsedAt, undefined);
    });
  });
});
