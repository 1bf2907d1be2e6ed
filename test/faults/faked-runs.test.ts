import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { sleep } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { MigrationCopying } from '../../activities/migrations/copy.ts';
import type { MigrationEnding } from '../../activities/migrations/end.ts';
import type { MigrationPlanning } from '../../activities/migrations/plan.ts';
import type { RecommendationActivities } from '../../activities/migrations/lost-migrations.ts';
import type { ScanConclusion } from '../../activities/scans/conclusion.ts';
import type { ScanActivities } from '../../activities/scans/scans.ts';
import { NO_COUNTS } from '../../domain/migrations/counts.ts';
import type { EndReason } from '../../domain/migrations/migration.ts';
import { NOTHING_YET, type ScanFailure } from '../../domain/scans/scan.ts';
import {
  approveMigration,
  cancelMigration,
  migrationProgress,
  type CopySlice,
} from '../../messages/migration.ts';
import { MIGRATION_WORKFLOW, SCAN_WORKFLOW } from '../../messages/names.ts';
import type { Stack } from '../../dev/stack.ts';
import { isSoon } from '../../dev/system/probes.ts';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { itSideBySide } from '../harness/side-by-side.ts';
import { fetchRuns, runsWith } from '../harness/workflow-runs.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { installQuietRuntime } from '../runtime.ts';
import { startOwnStack } from '../servers.ts';
import { OPENED_MIGRATION } from '../harness/opened-migration.ts';

/** Enough for one round of slices. */
const EVENTS_PER_RUN = 12;
/** Each at a random moment of a later run. */
const CANCELLATIONS = 24;
/** Workflows of a kind that run at once: their slices are about 30 activities a second, far from what a server takes. */
const AT_ONCE = 4;
/** A slice for each runs at once. */
const PAGES = 4;
/** Cancellations come at random moments of later runs, so that some hit the end of a run. */
const LATEST_CANCELLATION_MS = 3_000;
/** The server notices after 30 seconds that a worker did not get a task. */
const WITHIN_MS = 60_000;
/** Most of the time a run is long already and waits for its last slices. */
const SLICE_MS = 1_000;

/** A slice ends early, but not as cancelled: what is in flight is finished. */
async function work(): Promise<void> {
  await sleep(randomInt(1, SLICE_MS)).catch(() => undefined);
}

function sliceOf(pages: readonly number[], isDone: boolean): CopySlice {
  return {
    pages: pages.map((page) => ({ page, isDone, counts: NO_COUNTS })),
    lastFailure: null,
  };
}

describe('a workflow of many runs, with faked activities,', function () {
  this.timeout(180_000);
  let stack: Stack;
  let temporal: Client;
  let connection: NativeConnection;
  const ends = new Map<string, EndReason>();
  const failures = new Map<string, ScanFailure>();
  /** Recommendations that are open. */
  const unapproved = new Set<string>();
  /** Cancelled before they are opened, by a signal that is lost. */
  const cancelledBefore = new Set<string>();
  /** Migrations whose copies end, and how many verifying slices of them end early. */
  const interrupted = new Map<string, number>();
  /** Migrations that are approved and cancelled while their first read answers that they are open. */
  const cancelledInRead = new Set<string>();
  /** Scans whose slices neither end nor report progress, as those of a dead worker. */
  const silent = new Set<string>();
  const dead = new EventEmitter();
  const workers: { worker: Worker; running: Promise<void> }[] = [];

  /** Migrations and scans without end. */
  const activities: Partial<
    RecommendationActivities &
      MigrationPlanning &
      MigrationCopying &
      MigrationEnding &
      ScanActivities &
      ScanConclusion
  > = {
    async expireRecommendation({ migrationId }) {
      const status = unapproved.has(migrationId) ? 'open' : 'approved';
      if (cancelledInRead.delete(migrationId)) {
        unapproved.delete(migrationId);
        await temporal.workflow.getHandle(migrationId).signal(cancelMigration);
      }
      return { status };
    },
    async openMigration({ migrationId }) {
      const isCancelled = cancelledBefore.has(migrationId);
      return { ...OPENED_MIGRATION, ...(isCancelled ? { isCancelled } : {}) };
    },
    tryStores: () => Promise.resolve({ acls: 'none' }),
    buildManifest: () => Promise.resolve({ isWhole: true, pages: PAGES, objects: 1e5, bytes: 1e5 }),
    async copyPages({ migrationId }, pages) {
      await work();
      return sliceOf(pages, interrupted.has(migrationId));
    },
    beginVerifying: () => Promise.resolve(),
    async verifyPages({ migrationId }, pages) {
      await work();
      const left = interrupted.get(migrationId) ?? 0;
      interrupted.set(migrationId, left - 1);
      return sliceOf(pages, left <= 0);
    },
    beginCancelling: () => Promise.resolve(),
    abortUploads: () => Promise.resolve({ aborted: 0 }),
    endMigration({ migrationId }, end) {
      ends.set(migrationId, end);
      return Promise.resolve({
        status: end.isCancelled ? 'cancelled' : 'completed',
        counts: NO_COUNTS,
      });
    },
    openScan: () => Promise.resolve(),
    listBuckets: () => Promise.resolve({ ...NOTHING_YET, buckets: 100 }),
    async listBucket({ scanId }, bucket) {
      if (silent.has(scanId)) {
        const released = once(dead, 'released');
        dead.emit('begun');
        await released;
      } else {
        await work();
      }
      return { ...NOTHING_YET, name: `bucket-${bucket}`, done: false, error: null };
    },
    failScan({ scanId }, error) {
      failures.set(scanId, error);
      return Promise.resolve();
    },
  };

  before(async () => {
    installQuietRuntime();
    stack = await startOwnStack({ eventsPerRun: EVENTS_PER_RUN });
    temporal = await openTemporalClient(stack);
    connection = await NativeConnection.connect({
      address: stack.environment['TEMPORAL_ADDRESS'] ?? '',
    });
    const workflowBundle = await loadWorkflowBundle();
    for (const taskQueue of ['migrations', 'scans']) {
      const worker = await Worker.create({ connection, taskQueue, workflowBundle, activities });
      workers.push({ worker, running: worker.run() });
    }
  });
  after(async () => {
    dead.emit('released');
    for (const { worker } of workers) worker.shutdown();
    await Promise.all(workers.map(({ running }) => running));
    await connection?.close();
    await temporal?.connection.close();
    await stack?.stop();
  });

  /** Starts a workflow, cancels it in a later run, and waits for its end. */
  async function cancelLater(
    start: (workflowId: string) => Promise<unknown>,
    cancel: (workflowId: string) => Promise<unknown>,
  ): Promise<{ workflowId: string; isEnded: boolean }> {
    const workflowId = randomUUID();
    await start(workflowId);
    const { runId } = await temporal.workflow.getHandle(workflowId).describe();
    const isContinued = async () =>
      (await temporal.workflow.getHandle(workflowId).describe()).runId !== runId;
    assert.ok(await isSoon(isContinued, { withinMs: WITHIN_MS, everyMs: 200 }));
    await wait(randomInt(LATEST_CANCELLATION_MS));
    await cancel(workflowId);
    const hasEnded = async () => {
      const { status } = await temporal.workflow.getHandle(workflowId).describe();
      return status.name !== 'RUNNING';
    };
    const isEnded = await isSoon(hasEnded, { withinMs: WITHIN_MS, everyMs: 200 });
    return { workflowId, isEnded };
  }

  async function many<T>(one: () => Promise<T>): Promise<T[]> {
    const outcomes: T[] = [];
    const lane = async () => {
      for (let index = 0; index < CANCELLATIONS / AT_ONCE; index += 1) outcomes.push(await one());
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    return outcomes;
  }

  const startScan = (workflowId: string) =>
    temporal.workflow.start(SCAN_WORKFLOW, {
      workflowId,
      taskQueue: 'scans',
      args: [{ scanId: workflowId, accountId: 'a', connectionId: 'c', startedAt: '' }],
    });

  const startMigration = (workflowId: string) =>
    temporal.workflow.start(MIGRATION_WORKFLOW, {
      workflowId,
      taskQueue: 'migrations',
      args: [{ migrationId: workflowId, accountId: 'a', round: 1 }],
      memo: { requestId: 'request-of-the-scan', other: 1 },
    });

  /** Nudges the workflow until it has the runs. */
  async function untilRuns(
    workflowId: string,
    count: number,
    nudge: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<void> {
    const areThere = async () => {
      await nudge();
      return (await fetchRuns(temporal, workflowId)).length >= count;
    };
    assert.ok(await isSoon(areThere, { withinMs: WITHIN_MS, everyMs: 50 }));
  }

  itSideBySide({
    async 'of a migration ends as cancelled, whenever the cancellation comes'() {
      const cancelled = await many(() =>
        cancelLater(startMigration, (workflowId) =>
          temporal.workflow.getHandle(workflowId).signal(cancelMigration),
        ),
      );
      assert.equal(
        cancelled.filter(({ isEnded }) => !isEnded).length,
        0,
        'cancellations were lost',
      );
      for (const { workflowId } of cancelled)
        assert.deepEqual(ends.get(workflowId), { isCancelled: true, error: null });
    },
    async 'of a scan ends as failed, whenever an operator cancels it'() {
      const cancelled = await many(() =>
        cancelLater(startScan, (workflowId) => temporal.workflow.getHandle(workflowId).cancel()),
      );
      assert.equal(
        cancelled.filter(({ isEnded }) => !isEnded).length,
        0,
        'cancellations were lost',
      );
      for (const { workflowId } of cancelled)
        assert.match(failures.get(workflowId)?.message ?? '', /cancelled by an operator/);
    },
    async 'of a scan ends as cancelled, also where a worker dies with its slices'() {
      const workflowId = randomUUID();
      silent.add(workflowId);
      const isBegun = once(dead, 'begun');
      const handle = await startScan(workflowId);
      await isBegun;
      await handle.cancel();
      assert.equal(await handle.result(), 'failed');
      assert.match(failures.get(workflowId)?.message ?? '', /cancelled by an operator/);
    },
    async 'verifies a migration in later runs until each page is done'() {
      const workflowId = randomUUID();
      interrupted.set(workflowId, 3 * EVENTS_PER_RUN);
      const handle = await startMigration(workflowId);
      assert.deepEqual(await handle.result(), { status: 'completed' });
      const runs = await fetchRuns(temporal, workflowId);
      assert.ok(runsWith(runs, 'verifyPages') > 2, `${runsWith(runs, 'verifyPages')} runs`);
      assert.equal(runsWith(runs, 'beginVerifying'), 1);
      assert.deepEqual(ends.get(workflowId), { isCancelled: false, error: null });
    },
    async 'keeps the request id of the approval in later runs'() {
      const workflowId = randomUUID();
      const handle = await startMigration(workflowId);
      await untilRuns(workflowId, 3);
      const { memo } = await handle.describe();
      await handle.signal(cancelMigration);
      await handle.result();
      assert.deepEqual(memo, { requestId: OPENED_MIGRATION.requestId, other: 1 });
    },
    async 'keeps a cancellation that comes while the workflow reads whether the move is approved'() {
      const workflowId = randomUUID();
      unapproved.add(workflowId);
      cancelledInRead.add(workflowId);
      const handle = await startMigration(workflowId);
      await handle.result();
      assert.deepEqual(ends.get(workflowId), { isCancelled: true, error: null });
    },
    async 'keeps a cancellation that is stored before the migration is opened, and whose signal is lost'() {
      const workflowId = randomUUID();
      cancelledBefore.add(workflowId);
      const handle = await startMigration(workflowId);
      await handle.result();
      assert.deepEqual(ends.get(workflowId), { isCancelled: true, error: null });
    },
    async 'keeps a cancellation that comes before the approval’s signal, and does not let the waiting run grow'() {
      const workflowId = randomUUID();
      unapproved.add(workflowId);
      await startMigration(workflowId);
      const handle = temporal.workflow.getHandle(workflowId);
      await untilRuns(workflowId, 3, async () => {
        await handle.signal(approveMigration);
        // A busy worker would find many signals in one run: this is answered after the signal is handled.
        await handle.query(migrationProgress);
      });
      // The approval is stored; its signal is lost.
      unapproved.delete(workflowId);
      await handle.signal(cancelMigration);
      await handle.result();
      assert.deepEqual(ends.get(workflowId), { isCancelled: true, error: null });
      const waiting = (await fetchRuns(temporal, workflowId)).slice(0, -1);
      for (const { history } of waiting) assert.ok((history.events?.length ?? 0) < 60);
    },
  });
});
