import { activityOf } from '../harness/actor.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { MigrationContext, ScanContext } from '../../activities/contexts.ts';
import { startDueScan } from '../../activities/scans/due-scans.ts';
import { createLostMigrationActivities } from '../../activities/migrations/lost-migrations.ts';
import { createLostScanActivities } from '../../activities/scans/lost-scans.ts';
import { MAX_RESTARTS } from '../../domain/common/sweep.ts';
import { AppError } from '../../domain/common/errors.ts';
import { NO_COUNTS } from '../../domain/migrations/counts.ts';
import { nameUuid } from '../../domain/common/name-uuid.ts';
import { addSeconds, toMonth } from '../../domain/common/time.ts';
import { unreported } from '../harness/progress.ts';
import { stubbed } from '../harness/stubbed.ts';
import { insertApproved, openStored } from '../harness/stored-approval.ts';
import { NOW, testDatabase } from './adapters/database.ts';

describe('the sweep over lost work', () => {
  const database = testDatabase('test');

  it(`fails a scan that was lost after ${MAX_RESTARTS} restarts, and looks at it no more`, async () => {
    const { scans } = database.records;
    const key = { scanId: randomUUID(), accountId: 'again' };
    const startedAt = addSeconds(NOW, 86_400);
    await scans.insertQueued({ ...key, connectionId: randomUUID(), provider: 'aws', startedAt });
    let starts = 0;
    const sweepAt = async (at: Date) =>
      await createLostScanActivities(
        stubbed<ScanContext>({
          scans,
          connections: database.records.connections,
          scanCommands: {
            isLost: () => Promise.resolve(true),
            startScan: async () => void (starts += 1),
          },
          now: () => at,
          progress: unreported,
        }),
        {
          failScan: async ({ scanId }, error) => {
            const { progress, requests } = (await scans.findScan(key)) ?? assert.fail();
            await scans.fail(scanId, { progress, requests, error }, at);
          },
        },
      ).sweepScans();
    for (let hour = 1; hour <= 24; hour += 1) await sweepAt(addSeconds(startedAt, hour * 3_600));
    assert.equal(starts, MAX_RESTARTS);
    const scan = (await scans.findScan(key)) ?? assert.fail();
    assert.deepEqual([scan.status, scan.error?.code], ['failed', 'internal_error']);
    assert.match(scan.error?.message ?? '', /10 times/);
  });

  it('stores and counts a due scan whose workflow was started by a process that died then', async () => {
    const { scans, scanQuota } = database.records;
    const key = { accountId: randomUUID(), connectionId: randomUUID() };
    const schedule = { every: 'week', hourUtc: 3, nextAt: NOW, last: null } as const;
    const documentId = key.connectionId;
    const due = {
      documentId,
      ...key,
      provider: 'aws',
      schedule,
      nextAttemptAt: NOW,
      attempts: 0,
    } as const;
    const scanId = nameUuid(key.connectionId, NOW.toISOString());
    const settled: unknown[] = [];
    const context = stubbed<ScanContext>({
      scans,
      scanQuota,
      scanCommands: {
        startScan: () => Promise.reject(new AppError('scan_already_running')),
        findRunningScan: () => Promise.resolve(scanId),
        abandon: () => assert.fail('abandoned'),
      },
      plans: { free: { scansPerMonth: 1 } },
      accounts: {
        findAccount: () => Promise.resolve({ accountId: key.accountId, plan: 'free' } as never),
      },
      connections: {
        due: { postpone: () => assert.fail('postponed') },
        settleDue: async (_due: unknown, last: unknown) => void settled.push(last),
      },
      now: () => NOW,
    });
    for (let twice = 0; twice < 2; twice += 1)
      assert.equal(await startDueScan(context, due), 'scheduled');
    const started = { at: NOW, scanId, outcome: 'started' };
    assert.deepEqual(settled, [started, started]);
    assert.equal((await scans.findScan({ scanId, ...key }))?.status, 'queued');
    const month = { accountId: key.accountId, month: toMonth(NOW) };
    assert.equal(await scanQuota.book(month, randomUUID(), 1), false, 'it was not counted');
  });

  const approved = async (approvedAt: Date) =>
    await insertApproved(database.records, { accountId: `account-${randomUUID()}` }, approvedAt);

  async function sweepMigrationsAt(at: Date, recommendationId: string, isLost: boolean) {
    const { recommendations, migrations, releases, relocations, drills, drillSchedules } =
      database.records;
    const done: string[] = [];
    const note = (what: string) => async () => void done.push(what);
    await createLostMigrationActivities(
      stubbed<MigrationContext>({
        recommendations,
        migrations,
        migrationCommands: {
          isLost: () => Promise.resolve(isLost),
          approve: note('approve'),
          cancel: note('cancel'),
        },
        releases,
        relocations,
        drills,
        drillSchedules,
        releaseCommands: { isLost: () => Promise.resolve(isLost), startRelease: note('start') },
        now: () => at,
        progress: unreported,
      }),
      {
        openMigration: async () => ({ migrationId: 'opened' }) as never,
        abortUploads: async (_key, { error }) => {
          done.push(`abort: ${error?.code}`);
          throw new Error('the target refuses it');
        },
        endMigration: async (_key, { error }) => {
          done.push(`end: ${error?.message}`);
          await recommendations.clearHasWorkflow(recommendationId);
          return undefined as never;
        },
      },
    ).sweepMigrations();
    return done;
  }

  it(`ends a migration that was lost after ${MAX_RESTARTS} restarts, and looks at it no more`, async () => {
    const at = addSeconds(new Date(), -2 * 86_400);
    const { recommendationId } = await approved(at);
    const done: string[] = [];
    for (let hour = 1; hour <= 24; hour += 1)
      done.push(...(await sweepMigrationsAt(addSeconds(at, hour * 3_600), recommendationId, true)));
    assert.equal(done.filter((what) => what === 'approve').length, MAX_RESTARTS);
    assert.equal(done[MAX_RESTARTS], 'abort: internal_error');
    assert.match(done[MAX_RESTARTS + 1] ?? '', /^end: The migration was interrupted .* 10 times/);
    assert.equal(done.length, MAX_RESTARTS + 2);
  });

  it('repeats signals without effect at intervals that double, and lets what runs alone', async () => {
    const at = addSeconds(new Date(), -86_400);
    const { recommendationId, migrationId, accountId } = await approved(at);
    const sweep = (now: Date) => sweepMigrationsAt(now, recommendationId, false);
    const signalledAt: number[] = [];
    for (let half = 1; half <= 40; half += 1) {
      const done = await sweep(addSeconds(at, half * 30));
      if (done.length > 0) signalledAt.push(half * 30);
    }
    assert.deepEqual(signalledAt, [30, 60, 120, 240, 480, 960]);
    const { migrations, recommendations } = database.records;
    await openStored(database.records, { migrationId, accountId }, at);
    const later = addSeconds(at, 7_200);
    assert.deepEqual(await sweep(later), []);
    const cancelled = { ...activityOf(accountId, 'migration.cancelled', migrationId), at: later };
    await recommendations.requestCancel({ migrationId, accountId, round: 1 }, cancelled);
    assert.deepEqual(await sweep(later), ['cancel']);
    await migrations.cancel({ migrationId, round: 1 }, later);
    assert.deepEqual(await sweep(addSeconds(later, 3_600)), []);
    const end = { status: 'cancelled', error: null, counts: NO_COUNTS } as const;
    await migrations.end({ migrationId, round: 1 }, end, later, []);
    assert.deepEqual(await sweep(addSeconds(later, 7_200)), [], 'a signal would start it again');
  });
});
