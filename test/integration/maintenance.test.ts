import assert from 'node:assert/strict';
import { createMaintenanceActivities } from '../../activities/uploads/maintenance.ts';
import type { UploadCommands } from '../../adapters/temporal/upload-commands.ts';
import { afterSettling, type FileRecord } from '../../domain/upload/file.ts';
import { afterFollowUp } from '../../domain/common/sweep.ts';
import { unreported } from '../harness/progress.ts';
import { addMonths, addSeconds, type Month } from '../../domain/common/time.ts';
import {
  DECEMBER,
  fileOf,
  freshId,
  limitsOf,
  NOVEMBER,
  NOW,
  testDatabase,
} from './adapters/database.ts';

const STUCK = 1_000;
const ACCOUNTS = 5_000;

const addMonth = (at: Date) => addSeconds(at, 30 * 86_400);

/** The worker is killed while the reconciliation waits for the nth time. */
function killAt(nth: number): () => Promise<void> {
  let waits = 0;
  return () => {
    waits += 1;
    return waits === nth ? Promise.reject(new Error('the worker is killed')) : Promise.resolve();
  };
}

describe('maintenance', () => {
  const database = testDatabase('test');

  /** The activities at a moment; every wake fails or succeeds as told, and is noted. */
  function activitiesAt(
    at: Date,
    wake: UploadCommands['wake'] = () => Promise.resolve(),
    wait: (ms: number) => Promise<void> = () => Promise.resolve(),
  ) {
    return createMaintenanceActivities({
      ...database.records,
      uploads: { start: () => Promise.reject(new Error('not expected')), wake },
      now: () => at,
      wait,
      progress: unreported,
    });
  }

  it(`attends to two lost workflows in one sweep beside ${STUCK} deletes of another account that cannot be helped`, async () => {
    const stuck = Array.from({ length: STUCK }, () =>
      fileOf({ accountId: 'stuck', status: 'deleting', nextAttemptAt: afterFollowUp(NOW) }),
    );
    for (const file of stuck) await database.records.files.insert(file);
    const deadline = addSeconds(NOW, -100);
    const lost = [1, 2].map(() => fileOf({ deadline, nextAttemptAt: afterSettling(deadline) }));
    for (const file of lost) await database.records.files.insert(file);

    const woken: string[] = [];
    const wake = async (file: FileRecord) => {
      woken.push(file.fileId);
      if (file.accountId === 'stuck') throw new Error('it cannot be helped');
    };
    const first = await activitiesAt(addSeconds(NOW, 60), wake).sweepUploads();
    assert.deepEqual(first, { counted: 0, woken: 2, failed: STUCK });
    const ids = lost.map(({ fileId }) => fileId).sort();
    assert.deepEqual(woken.slice(0, 2).sort(), ids, 'the longest due come first');

    // They back off: 1, 2, 4 … minutes, while the other account's file is due at each sweep.
    const triedAt: number[] = [];
    for (let minute = 2; minute <= 16; minute += 1) {
      woken.length = 0;
      const other = fileOf({ nextAttemptAt: addSeconds(NOW, minute * 60 - 1) });
      await database.records.files.insert(other);
      await activitiesAt(addSeconds(NOW, minute * 60), wake).sweepUploads();
      assert.ok(woken.includes(other.fileId));
      if (woken.length >= STUCK) triedAt.push(minute);
    }
    assert.deepEqual(triedAt, [2, 4, 8, 16]);
  });

  it('begins with no further file once its attempt is cancelled', async () => {
    for (let file = 0; file < 30; file += 1)
      await database.records.files.insert(fileOf({ nextAttemptAt: afterFollowUp(NOW) }));
    const woken: string[] = [];
    const cancelled = new AbortController();
    const { sweepUploads } = createMaintenanceActivities({
      ...database.records,
      uploads: {
        start: () => Promise.reject(new Error('not expected')),
        async wake({ fileId }) {
          woken.push(fileId);
          cancelled.abort(new Error('the attempt was taken for dead'));
        },
      },
      now: () => addSeconds(NOW, 60),
      wait: () => Promise.resolve(),
      progress: { ...unreported, requireAlive: () => cancelled.signal.throwIfAborted() },
    });
    await assert.rejects(sweepUploads(), /taken for dead/);
    assert.ok(woken.length <= 10, `${woken.length} files were continued`);
  });

  for (const [today, before, present] of [
    ['2026-03-01', '2026-02', '2026-03'],
    ['2026-03-31', '2026-02', '2026-03'],
    ['2027-01-01', '2026-12', '2027-01'],
    ['2028-03-01', '2028-02', '2028-03'],
    ['2028-02-29', '2028-01', '2028-02'],
  ] as [string, Month, Month][]) {
    it(`reconciles the quota of ${before} and ${present} on ${today}`, async () => {
      const accountId = freshId('account');
      const old = addMonths(before, -1);
      for (const month of [old, before, present])
        await database.records.quota.book({ accountId, month }, 1_000, limitsOf({}));
      for (const time of ['00:00:00.000', '23:59:59.999'])
        await activitiesAt(new Date(`${today}T${time}Z`)).reconcileQuota();
      const left = [old, before, present].map(async (month) => {
        const { uploads } = await database.records.quota.read({ accountId, month });
        return uploads;
      });
      assert.deepEqual(await Promise.all(left), [1, 0, 0]);
    });
  }

  it(`reconciles the quota of ${ACCOUNTS} accounts page by page, and goes on where it stood`, async () => {
    const accountOf = (index: number) => `account-${String(index).padStart(6, '0')}`;
    const indexes = Array.from({ length: ACCOUNTS }, (_, index) => index);
    // Every account has one upload of 1,000 bytes; each hundredth booked one more that was never inserted.
    await database.db.collection('quota').insertMany(
      indexes.map((index) => {
        const uploads = index % 100 === 0 ? 2 : 1;
        const accountId = accountOf(index);
        const _id = `${NOVEMBER}/${accountId}` as never;
        const counted = { bytes: uploads * 1_000, uploads, corrections: 0, withdrawals: 0 };
        return { _id, accountId, month: NOVEMBER, ...counted };
      }),
    );
    await database.records.quota.book({ accountId: 'later', month: DECEMBER }, 1, limitsOf({}));
    await database.db.collection('files').insertMany(
      indexes.map((index) => ({
        accountId: accountOf(index),
        month: NOVEMBER,
        status: 'active',
        sizeBytes: 1_000,
      })),
    );
    const stopped = activitiesAt(addMonth(NOW), undefined, killAt(2)).reconcileQuota();
    await assert.rejects(stopped, /killed/);
    const position = await database.records.quota.readPosition();
    assert.deepEqual(position, { month: NOVEMBER, accountId: accountOf(ACCOUNTS - 1) });
    assert.deepEqual(await activitiesAt(addMonth(NOW)).reconcileQuota(), { corrected: 1 });
    assert.equal(
      await database.records.quota.readPosition(),
      undefined,
      'the next run begins anew',
    );
    const wrong = await database.db
      .collection('quota')
      .countDocuments({ month: NOVEMBER, uploads: { $ne: 1 } });
    assert.equal(wrong, 0);
  });
});
