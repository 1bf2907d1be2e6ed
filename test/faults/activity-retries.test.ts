import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { MongoNetworkError } from 'mongodb';
import type { EndReason } from '../../domain/migrations/migration.ts';
import { createPayloadCodec, NO_KEYS } from '../../adapters/temporal/payload-codec.ts';
import type { MigrationEnding } from '../../activities/migrations/end.ts';
import type { MigrationPlanning } from '../../activities/migrations/plan.ts';
import type { RecommendationActivities } from '../../activities/migrations/lost-migrations.ts';
import type { RelocationActivities } from '../../activities/relocations/relocation.ts';
import type { ScanConclusion } from '../../activities/scans/conclusion.ts';
import type { ScanActivities } from '../../activities/scans/scans.ts';
import type { UsageActivities } from '../../activities/scans/usage.ts';
import type { UploadActivities } from '../../activities/uploads/uploads.ts';
import { withRoleErrors } from '../../adapters/cloud-account/role-errors.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import { createLogger } from '../../adapters/telemetry/logger.ts';
import { createRequestScope } from '../../adapters/telemetry/request-scope.ts';
import { isSoon } from '../../dev/system/probes.ts';
import { NO_COUNTS } from '../../domain/migrations/counts.ts';
import { MigrationStopError } from '../../domain/migrations/stop.ts';
import { NOTHING_YET, type ScanFailure } from '../../domain/scans/scan.ts';
import {
  MIGRATION_WORKFLOW,
  RELOCATION_WORKFLOW,
  SCAN_WORKFLOW,
  UPLOAD_WORKFLOW,
} from '../../messages/names.ts';
import { guardActivities } from '../../worker/activity-interceptor.ts';
import { loadWorkflowBundle, type WorkflowBundle } from '../../worker/bundle.ts';
import { startTimeSkipping } from '../harness/time-skipping.ts';
import { installQuietRuntime } from '../runtime.ts';
import { localServers } from '../servers.ts';
import { OPENED_MIGRATION } from '../harness/opened-migration.ts';

type Activities = Partial<
  ScanActivities &
    UsageActivities &
    ScanConclusion &
    UploadActivities &
    RecommendationActivities &
    MigrationPlanning &
    MigrationEnding &
    RelocationActivities
>;

describe('the retries of activities', function () {
  this.timeout(120_000);
  let env: TestWorkflowEnvironment;
  let workflowBundle: WorkflowBundle;

  before(async () => {
    installQuietRuntime();
    env = await startTimeSkipping(await (await localServers()).timeSkippingServer());
    workflowBundle = await loadWorkflowBundle();
  });
  after(() => env?.teardown());

  const interceptors = {
    activity: [
      guardActivities(
        createLogger('test', 'silent'),
        createRequestScope(),
        createPayloadCodec(NO_KEYS),
      ),
    ],
  };
  const options = (taskQueue: string, activities: Activities) => {
    const connection = env.nativeConnection;
    return { connection, taskQueue, activities, interceptors };
  };

  /** Runs a workflow to its end. @returns its result and its duration in hours */
  async function run(workflow: string, input: object, activities: Activities) {
    const taskQueue = randomUUID();
    const worker = await Worker.create({ ...options(taskQueue, activities), workflowBundle });
    const started = { taskQueue, workflowId: taskQueue, args: [input] };
    const result: unknown = await worker.runUntil(env.client.workflow.execute(workflow, started));
    const { events } = await env.client.workflow.getHandle(taskQueue).fetchHistory();
    const seconds = [events?.[0], events?.at(-1)].map((event) => Number(event?.eventTime?.seconds));
    return { result, hours: ((seconds[1] ?? 0) - (seconds[0] ?? 0)) / 3_600 };
  }

  /** The same, where no worker serves the queue's activities at first. */
  async function runAfter(delay: string, workflow: string, input: object, activities: Activities) {
    const taskQueue = randomUUID();
    const onlyWorkflows = await Worker.create({
      ...options(taskQueue, activities),
      workflowBundle,
      enableNonLocalActivities: false,
    });
    return await onlyWorkflows.runUntil(async () => {
      const started = { taskQueue, workflowId: taskQueue, args: [input] };
      const handle = await env.client.workflow.start(workflow, started);
      await untilScheduled(handle);
      // This server skips no time while an activity is scheduled, unless it is told to once more.
      const { testService } = env.connection;
      await testService?.unlockTimeSkipping({});
      await env.sleep(delay);
      await testService?.lockTimeSkipping({});
      const onlyActivities = await Worker.create(options(taskQueue, activities));
      return await onlyActivities.runUntil(handle.result());
    });
  }

  /** An activity waits for a worker. */
  async function untilScheduled(handle: WorkflowHandle): Promise<void> {
    const isWaiting = async () => {
      const { events } = await handle.fetchHistory();
      return (events ?? []).some(({ activityTaskScheduledEventAttributes: waiting }) => waiting);
    };
    assert.ok(await isSoon(isWaiting, { withinMs: 20_000, everyMs: 20 }));
  }

  const SCAN = { scanId: 's', accountId: 'a', connectionId: 'c', startedAt: '' };
  const scanning = (failures: ScanFailure[], changes: Activities = {}): Activities => ({
    openScan: () => Promise.resolve(),
    listBuckets: () => Promise.resolve(NO_BUCKETS),
    readUsage: () => Promise.resolve({ list: 0, other: 0, costUsd: 0 }),
    concludeScan: () => Promise.resolve(),
    failScan: (_key, error) => {
      failures.push(error);
      return Promise.resolve();
    },
    ...changes,
  });

  it('do not count the time in which no worker is free, for a scan', async () => {
    const failures: ScanFailure[] = [];
    const result = await runAfter('7h', SCAN_WORKFLOW, SCAN, scanning(failures));
    assert.deepEqual([result, failures], ['completed', []]);
  });

  it('do not count the time in which no worker is free, for an upload', async () => {
    const settled = { status: 'active', lookAgainAtMs: null } as const;
    const result = await runAfter('26h', UPLOAD_WORKFLOW, UPLOAD, {
      attemptUpload: () => Promise.resolve({ status: 'pending', lookAgainAtMs: null }),
      settleUpload: () => Promise.resolve(settled),
      expireUpload: () => Promise.resolve({ status: 'expired', lookAgainAtMs: null }),
    });
    assert.deepEqual(result, settled);
  });

  it('end where a store fails for a day, and the upload expires', async () => {
    const { result, hours } = await run(UPLOAD_WORKFLOW, UPLOAD, {
      attemptUpload: () => Promise.resolve({ status: 'pending', lookAgainAtMs: null }),
      settleUpload: () => Promise.reject(new StoreError('timed_out')),
      expireUpload: () => Promise.resolve({ status: 'expired', lookAgainAtMs: null }),
    });
    assert.deepEqual(result, { status: 'expired', lookAgainAtMs: null });
    assert.ok(hours >= 24 && hours < 25, `${hours} hours`);
  });

  const outages: [string, () => Promise<never>, ScanFailure][] = [
    [
      'the database',
      () => Promise.reject(new MongoNetworkError('connect ECONNREFUSED mongodb.internal')),
      { code: 'internal_error', message: 'The database did not answer.' },
    ],
    [
      'the cloud',
      () => withRoleErrors(() => Promise.reject(new StoreError('unreachable'))),
      { code: 'provider_error', message: 'AWS S3: it cannot be reached.' },
    ],
  ];
  for (const [dependency, fail, expected] of outages)
    it(`end where ${dependency} is unavailable for six hours, with the reason`, async () => {
      const failures: ScanFailure[] = [];
      const activities = scanning(failures, { listBuckets: fail });
      const { result, hours } = await run(SCAN_WORKFLOW, SCAN, activities);
      assert.deepEqual([result, failures], ['failed', [expected]]);
      assert.ok(hours >= 6 && hours < 7, `${hours} hours`);
    });

  it('end a scan at once where the service has a defect, and store that', async () => {
    const failures: ScanFailure[] = [];
    let attempts = 0;
    const { result, hours } = await run(SCAN_WORKFLOW, SCAN, {
      ...scanning(failures),
      listBuckets: () => raiseDefect(() => (attempts += 1)),
    });
    assert.deepEqual([result, failures], ['failed', [DEFECT_SHOWN]]);
    assert.equal(attempts, 1);
    assert.ok(hours < 1, `${hours} hours`);
  });

  it('end a migration at once where the service has a defect; its end is repeated', async () => {
    const ends: EndReason[] = [];
    let attempts = 0;
    const { result } = await run(
      MIGRATION_WORKFLOW,
      { migrationId: 'r', accountId: 'a', round: 1 },
      {
        expireRecommendation: () => Promise.resolve({ status: 'approved' }),
        openMigration: () => Promise.resolve(OPENED_MIGRATION),
        tryStores: () => raiseDefect(() => (attempts += 1)),
        abortUploads: () => raiseDefect(),
        endMigration(_key, end) {
          ends.push(end);
          if (ends.length < 4) return raiseDefect();
          return Promise.resolve({ status: 'failed', counts: NO_COUNTS });
        },
      },
    );
    assert.deepEqual(result, { status: 'failed' });
    assert.equal(attempts, 1);
    const end = { isCancelled: false, error: DEFECT_SHOWN };
    assert.deepEqual(ends, [end, end, end, end]);
  });

  it('go on after a defect in what stores that a scan failed', async () => {
    const failures: ScanFailure[] = [];
    let attempts = 0;
    const activities = scanning(failures);
    const { result } = await run(SCAN_WORKFLOW, SCAN, {
      ...activities,
      openScan: () => raiseDefect(),
      async failScan(key, error) {
        attempts += 1;
        if (attempts < 4) await raiseDefect();
        await activities.failScan?.(key, error);
      },
    });
    assert.deepEqual([result, failures, attempts], ['failed', [DEFECT_SHOWN], 4]);
  });

  it('do not expire an upload for a defect: it is settled by a version without it', async () => {
    let attempts = 0;
    const { result } = await run(UPLOAD_WORKFLOW, UPLOAD, {
      attemptUpload: () => Promise.resolve({ status: 'pending', lookAgainAtMs: null }),
      settleUpload: () =>
        (attempts += 1) < 10
          ? raiseDefect()
          : Promise.resolve({ status: 'active', lookAgainAtMs: null }),
    });
    assert.deepEqual(result, { status: 'active', lookAgainAtMs: null });
  });

  const RELOCATION = { relocationId: 'r', accountId: 'a' };
  const drained = { files: 1, moved: 1, failed: 0, isSettled: true, waitMs: 0 };

  it('end the copying of a relocation at once, and wait a minute between tries of what is left', async () => {
    const stops: string[] = [];
    let tried = 0;
    const { result, hours } = await run(RELOCATION_WORKFLOW, RELOCATION, {
      relocate: () => {
        tried += 1;
        if (tried > 61) return Promise.resolve({ status: 'failed', ...drained } as const);
        const refused = new MigrationStopError('provider_error', 'refused');
        return Promise.reject(refused);
      },
      stopRelocation: (_key, { status }) => {
        stops.push(status);
        return Promise.resolve();
      },
    });
    assert.deepEqual(result, { status: 'failed' });
    assert.equal(stops[0], 'failed');
    assert.equal(Math.round(hours), 1);
  });

  it('do not keep a cancelled workflow from ending its relocation as cancelled', async () => {
    const taskQueue = randomUUID();
    let stopping: string | undefined;
    const activities: Activities = {
      relocate: async () => {
        const status = stopping === undefined ? 'copying' : 'cancelled';
        return { ...drained, status, isSettled: stopping !== undefined, waitMs: 1_000 };
      },
      stopRelocation: async (_key, { status }) => {
        stopping = status;
      },
    };
    const worker = await Worker.create({ ...options(taskQueue, activities), workflowBundle });
    const started = { taskQueue, workflowId: taskQueue, args: [RELOCATION] };
    const result: unknown = await worker.runUntil(async () => {
      const handle = await env.client.workflow.start(RELOCATION_WORKFLOW, started);
      await untilScheduled(handle);
      await handle.cancel();
      return await handle.result();
    });
    assert.deepEqual([result, stopping], [{ status: 'cancelled' }, 'cancelled']);
  });
});

const NO_BUCKETS = { ...NOTHING_YET, buckets: 0 };
const UPLOAD = { fileId: 'f', accountId: 'a', deadline: '2026-01-01T00:00:00Z' };
const DEFECT_SHOWN = { code: 'internal_error', message: 'Something went wrong on our side.' };

function raiseDefect(count: () => unknown = () => undefined): Promise<never> {
  count();
  const nothing = JSON.parse('{}') as { list: string[] };
  return Promise.reject(new Error(nothing.list.join()));
}
