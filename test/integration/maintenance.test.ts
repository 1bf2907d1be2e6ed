import assert from 'node:assert/strict';
import type { UploadContext } from '../../activities/contexts.ts';
import { createQuotaActivities } from '../../activities/uploads/reconcile-quota.ts';
import { createFileSweepActivities } from '../../activities/uploads/sweep.ts';
import type { Records } from '../../adapters/mongo/records.ts';
import type { UploadCommands } from '../../adapters/temporal/upload-commands.ts';
import { afterSettling, type FileRecord } from '../../domain/uploads/file.ts';
import { afterFollowUp } from '../../domain/common/sweep.ts';
import { unreported } from '../harness/progress.ts';
import { stubbed } from '../harness/stubbed.ts';
import { addMonths, addSeconds, type Month } from '../../domain/common/time.ts';
import { DECEMBER, fileOf, freshId, limitsOf } from './adapters/database.ts';
import { NOVEMBER, NOW, testDatabase } from './adapters/database.ts';
import { overriding } from '../harness/overriding.ts';

const STUCK = 1_000;
const ACCOUNTS = 5_000;

describe('maintenance', () => {
  const database = testDatabase('test');

  /** The activities at a moment; every wake fails or succeeds as told, and is noted. */
  function activitiesAt(
    at: Date,
    {
      startUpload = async () => undefined,
      wake = async () => undefined,
      wait = async () => undefined,
      requireAlive = () => undefined,
      files = database.records.files,
    }: Partial<
      Pick<UploadCommands, 'startUpload' | 'wake'> &
        Pick<Records, 'files'> & { wait(): Promise<void>; requireAlive(): void }
    > = {},
  ) {
    const context = stubbed<UploadContext>({
      ...database.records,
      files,
      stores: { toProviderError: () => assert.fail('not expected') },
      uploads: { isWorking: () => Promise.resolve(false), startUpload, wake },
      now: () => at,
      wait,
      progress: { ...unreported, requireAlive },
    });
    return { ...createFileSweepActivities(context), ...createQuotaActivities(context) };
  }

  it(`attends to two lost workflows in one sweep beside ${STUCK} deletes of another account that cannot be helped`, async () => {
    const stuck = Array.from({ length: STUCK }, () =>
      fileOf({ accountId: 'stuck', status: 'deleting', nextAttemptAt: afterFollowUp(NOW) }),
    );
    for (const file of stuck) await database.records.files.insertFile(file);
    const deadline = addSeconds(NOW, -100);
    const lost = [1, 2].map(() => fileOf({ deadline, nextAttemptAt: afterSettling(deadline) }));
    for (const file of lost) await database.records.files.insertFile(file);

    const woken: string[] = [];
    const wake = async (file: FileRecord) => {
      woken.push(file.fileId);
      if (file.accountId === 'stuck') throw new Error('it cannot be helped');
    };
    const first = await activitiesAt(addSeconds(NOW, 60), { wake }).sweepUploads();
    const none = { counted: 0, started: 0, working: 0, given_up: 0 };
    assert.deepEqual(first, { ...none, woken: 2, failed: STUCK });
    const ids = lost.map(({ fileId }) => fileId).sort();
    assert.deepEqual(woken.slice(0, 2).sort(), ids, 'the longest due come first');

    // They back off: 1, 2, 4 … minutes, while the other account's file is due at each sweep.
    const triedAt: number[] = [];
    for (let minute = 2; minute <= 16; minute += 1) {
      woken.length = 0;
      const other = fileOf({ nextAttemptAt: addSeconds(NOW, minute * 60 - 1) });
      await database.records.files.insertFile(other);
      await activitiesAt(addSeconds(NOW, minute * 60), { wake }).sweepUploads();
      assert.ok(woken.includes(other.fileId));
      if (woken.length >= STUCK) triedAt.push(minute);
    }
    assert.deepEqual(triedAt, [2, 4, 8, 16]);
  });

  it('begins with no further file once its attempt is cancelled', async () => {
    for (let file = 0; file < 30; file += 1)
      await database.records.files.insertFile(fileOf({ nextAttemptAt: afterFollowUp(NOW) }));
    let woken = 0;
    const cancelled = new AbortController();
    const wake = async () => {
      woken += 1;
      cancelled.abort(new Error('the attempt was taken for dead'));
    };
    const requireAlive = () => cancelled.signal.throwIfAborted();
    const { sweepUploads } = activitiesAt(addSeconds(NOW, 60), { wake, requireAlive });
    await assert.rejects(sweepUploads(), /taken for dead/);
    assert.ok(woken <= 10, `${woken} files were continued`);
  });

  it('reconciles the quota of this month and of the one before, by UTC', async () => {
    for (const [today, before, present] of [
      ['2026-03-31', '2026-02', '2026-03'],
      ['2027-01-01', '2026-12', '2027-01'],
      ['2028-02-29', '2028-01', '2028-02'],
    ] as [string, Month, Month][]) {
      const accountId = freshId('account');
      const months = [addMonths(before, -1), before, present];
      for (const month of months)
        await database.records.quota.book({ accountId, month }, 1_000, limitsOf({}));
      for (const time of ['00:00:00.000', '23:59:59.999'])
        await activitiesAt(new Date(`${today}T${time}Z`)).reconcileQuota();
      const left = months.map((month) => database.records.quota.read({ accountId, month }));
      const uploads = (await Promise.all(left)).map((booked) => booked.uploads);
      assert.deepEqual(uploads, [1, 0, 0], today);
    }
  });

  it(`reconciles the quota of ${ACCOUNTS} accounts page by page, and goes on where it stood`, async () => {
    const ids = Array.from(
      { length: ACCOUNTS },
      (_, at) => `account-${String(at).padStart(6, '0')}`,
    );
    // Every account has one upload of 1,000 bytes; each hundredth booked one more that was never inserted. The counters
    // of all but each 25th have not moved.
    await database.db.collection('quota').insertMany(
      ids.map((accountId, at) => {
        const uploads = at % 100 === 0 ? 2 : 1;
        const _id = `${NOVEMBER}/${accountId}` as never;
        const booked = { bytes: uploads * 1_000, uploads };
        const counted = { ...booked, corrections: 0, withdrawals: 0 };
        const known = at % 25 === 0 ? {} : { reconciled: booked };
        return { _id, accountId, month: NOVEMBER, ...counted, ...known };
      }),
    );
    await database.records.quota.book({ accountId: 'later', month: DECEMBER }, 1, limitsOf({}));
    const file = { month: NOVEMBER, status: 'active', sizeBytes: 1_000 };
    const files = ids.map((accountId) => ({ accountId, ...file }));
    await database.db.collection('files').insertMany(files);
    // The worker is killed while the reconciliation waits for the second time.
    let waits = 0;
    const wait = async () => {
      waits += 1;
      if (waits === 2) throw new Error('the worker is killed');
    };
    const later = addSeconds(NOW, 30 * 86_400);
    await assert.rejects(activitiesAt(later, { wait }).reconcileQuota(), /killed/);
    const position = () => database.records.quota.readPosition();
    assert.deepEqual(await position(), { month: NOVEMBER, accountId: ids.at(-1) });
    assert.deepEqual(await activitiesAt(later).reconcileQuota(), { corrected: 1 });
    assert.equal(await position(), undefined, 'the next run begins anew');
    const wrong = { month: NOVEMBER, uploads: { $ne: 1 } };
    assert.equal(await database.db.collection('quota').countDocuments(wrong), 0);
  });

  /** The files, and of which accounts the bookings were summed, from which file on. */
  function watchedFiles() {
    const summed: (readonly [accountId: string, after: string | undefined])[] = [];
    const { files } = database.records;
    const sumBookings: Records['files']['sumBookings'] = (period, after) => {
      summed.push([period.accountId, after]);
      return files.sumBookings(period, after);
    };
    return { summed, files: overriding(files, { sumBookings }) };
  }

  it('looks at a counter again once it has moved, and waits only then', async () => {
    const { quota, files } = database.records;
    const [still, busy] = [fileOf({ accountId: 'still' }), fileOf({ accountId: 'busy' })];
    for (const file of [still, busy]) {
      await quota.book(file, file.sizeBytes, limitsOf({}));
      await files.insertFile(file);
    }
    const watched = watchedFiles();
    let waits = 0;
    const wait = async () => void (waits += 1);
    const reconcile = () => activitiesAt(NOW, { wait, files: watched.files }).reconcileQuota();
    const accounts = () => watched.summed.splice(0).map(([accountId]) => accountId);
    assert.deepEqual(await reconcile(), { corrected: 0 });
    assert.deepEqual([accounts(), waits], [['busy', 'still'], 1]);
    // However late that is.
    assert.deepEqual(await reconcile(), { corrected: 0 });
    assert.deepEqual([accounts(), waits], [[], 1]);
    await quota.book(busy, 500, limitsOf({}));
    assert.deepEqual(await reconcile(), { corrected: 1 });
    assert.deepEqual([accounts(), waits], [['busy'], 2]);
    assert.deepEqual(await quota.readBookings(busy), { bytes: busy.sizeBytes, uploads: 1 });
    assert.deepEqual(await reconcile(), { corrected: 0 });
    assert.deepEqual([accounts(), waits], [[], 2]);
  });

  it('gives back what an init has booked that is discarded while the reconciliation waits', async () => {
    const { quota, files } = database.records;
    const [kept, discarded] = [fileOf({ accountId: 'one' }), fileOf({ accountId: 'one' })];
    for (const file of [kept, discarded]) {
      await quota.book(file, file.sizeBytes, limitsOf({}));
      await files.insertFile(file);
    }
    // Its process ends before it has withdrawn the booking.
    const wait = async () => void (await files.discard(discarded.fileId));
    assert.deepEqual(await activitiesAt(NOW, { wait }).reconcileQuota(), { corrected: 1 });
    assert.deepEqual(await quota.readBookings(kept), { bytes: kept.sizeBytes, uploads: 1 });
  });

  it('goes on within an account where a worker was killed, after each 10,000 of its files', async () => {
    const accountId = 'large';
    const period = { accountId, month: NOVEMBER };
    const { quota } = database.records;
    const count = 20_001;
    await quota.book(period, 3 * count + 1, limitsOf({}));
    await database.db.collection('files').insertMany(
      Array.from({ length: count }, (_, at) => {
        const _id = `file-${String(at).padStart(6, '0')}` as never;
        return { _id, accountId, month: NOVEMBER, status: 'active', sizeBytes: 3 };
      }),
    );
    const { files } = database.records;
    const killed: Records['files']['sumBookings'] = async function* (...given) {
      let pieces = 0;
      for await (const piece of files.sumBookings(...given)) {
        pieces += 1;
        if (pieces === 3) throw new Error('the worker is killed');
        yield piece;
      }
    };
    const dying = activitiesAt(NOW, { files: overriding(files, { sumBookings: killed }) });
    await assert.rejects(dying.reconcileQuota(), /killed/);
    const watched = watchedFiles();
    const { reconcileQuota } = activitiesAt(NOW, { files: watched.files });
    assert.deepEqual(await reconcileQuota(), { corrected: 1 });
    assert.deepEqual(watched.summed, [[accountId, 'file-019999']]);
    assert.equal((await quota.readBookings(period)).bytes, 3 * count);
  });
});
