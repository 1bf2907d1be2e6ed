import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createPendingLimit } from '../../../operations/uploads/pending-limit.ts';
import { AppError } from '../../../domain/common/errors.ts';

const LIMIT = 1_000;
const isRefused = (error: unknown) => error instanceof AppError && error.code === 'rate_limited';

describe('the bound on pending files', () => {
  /** Of an account whose files are inserted at once. */
  function open(stored = 0) {
    const account = { stored, counts: 0, nowMs: 0, isAway: false };
    const requireRoom = createPendingLimit(
      {
        files: {
          countPending: async () => {
            account.counts += 1;
            if (account.isAway) throw new Error('away');
            return account.stored;
          },
        },
        maxPendingFiles: LIMIT,
        onBackgroundError: () => {},
      },
      () => account.nowMs,
    );
    const init = async () => {
      await requireRoom('a');
      account.stored += 1;
      await nextTurn();
    };
    const initMany = async (times: number) => {
      for (let index = 0; index < times; index += 1) await init();
    };
    return { account, init, initMany };
  }

  it('admits exactly as many in one process, and counts after each hundredth', async () => {
    const { account, init, initMany } = open();
    await initMany(LIMIT);
    assert.ok(account.counts <= 120, String(account.counts));
    await assert.rejects(init(), isRefused);
    assert.equal(account.stored, LIMIT);
  });

  it('admits as many where a count has the files of inits that have begun after it', async () => {
    const LEAST = 5;
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    let stored = 0;
    const requireRoom = createPendingLimit(
      {
        files: {
          async countPending() {
            if (stored < LEAST - 1) await held;
            return stored;
          },
        },
        maxPendingFiles: LEAST,
        onBackgroundError: () => {},
      },
      () => 0,
    );
    for (; stored < LEAST - 1; stored += 1) await requireRoom('a');
    answer();
    await nextTurn();
    await requireRoom('a');
    stored += 1;
    await assert.rejects(requireRoom('a'), isRefused);
  });

  it('learns within a hundredth what other processes have let in', async () => {
    const { account, initMany } = open(LIMIT);
    await assert.rejects(initMany(100), isRefused);
    assert.ok(account.stored <= LIMIT + LIMIT / 100, String(account.stored));
  });

  it('refuses without a count for five seconds, then counts again', async () => {
    const { account, init, initMany } = open(LIMIT);
    await assert.rejects(initMany(100), isRefused);
    const { counts } = account;
    account.stored = 0;
    for (let index = 0; index < 50; index += 1) await assert.rejects(init(), isRefused);
    assert.equal(account.counts, counts);
    account.nowMs += 5_000;
    await init();
    assert.equal(account.counts, counts + 1);
  });

  it('never refuses where files were completed meanwhile, and is kept while the count fails', async () => {
    const completing = open();
    for (let index = 0; index < 3 * LIMIT; index += 1) {
      await completing.init();
      completing.account.stored = 0;
    }
    const { account, initMany } = open();
    account.isAway = true;
    await assert.rejects(initMany(LIMIT + 1), /away/);
    assert.equal(account.stored, LIMIT);
  });

  it('holds where a process has forgotten the account', async () => {
    const requireRoom = createPendingLimit(
      {
        files: { countPending: async (accountId) => (accountId === 'full' ? LIMIT : 0) },
        maxPendingFiles: LIMIT,
        onBackgroundError: () => {},
      },
      () => 0,
      2,
    );
    for (const accountId of ['a', 'b']) await requireRoom(accountId);
    for (let round = 0; round < 2; round += 1) {
      await assert.rejects(requireRoom('full'), isRefused);
      for (const accountId of ['a', 'b']) await requireRoom(accountId);
    }
  });
});
