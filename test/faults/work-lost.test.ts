import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import type { ServiceProcess } from '../../dev/service.ts';
import { isSoon } from '../../dev/system/probes.ts';
import { migrationWorkflowId, scanWorkflowId } from '../../messages/names.ts';
import { createCloudCustomer, slowDown, untilRunning } from '../harness/cloud-customer.ts';
import { eventually, openDatabase } from '../harness/customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import {
  assertIdentical,
  migrationOf,
  recommendedMove,
  untilCopied,
  type ApprovedMove,
  type MigrationCustomer,
  type MigrationSuite,
  type RecommendedMove,
  type SideFault,
} from '../harness/migration-customer.ts';
import { itSideBySide } from '../harness/side-by-side.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { startMigrationService } from '../servers.ts';

/** It counts scans. */
const PLAN = { DEFAULT_PLAN: 'starter' };
/** Of a scan. */
const SCANNED = 8_000;
/** Of a migration: two pages. */
const OBJECTS = 1_200;
/** Whose copies are interrupted. */
const SLOW_OBJECTS = 300;
/** Where no copy is interrupted. */
const FEW_OBJECTS = 100;
/** Half a minute to the next sweep, 15 s after the end of the run, and slack. */
const HEALED_WITHIN_MS = 75_000;
/** Beside the one of the schedule. */
const MORE_SWEEPS = ['a', 'b', 'c'];

const late = (
  operation: string,
  side: SideFault['side'],
  latencyMs: number,
  key?: string,
): readonly SideFault[] => [
  { effect: 'latency', operation, side, latencyMs, ...(key ? { key } : {}) },
];
/** Of the objects: the approval’s test object would refuse the target. */
const lateWrites = (latencyMs: number) => late('PutObject', 'target', latencyMs, '*/o/*');
const SLOW = { objects: SLOW_OBJECTS, faults: lateWrites(800) };
/** Of those that are slow, before they are interrupted. */
const SOME = 50;

describe('with several sweeps at once,', function () {
  this.timeout(300_000);
  let suite: MigrationSuite;
  let ofScans: ServiceProcess;
  let temporal: Client;
  let database: Awaited<ReturnType<typeof openDatabase>>;

  before(async () => {
    suite = {
      ...(await startMigrationService({ workerCount: 0, environment: PLAN })),
      migrating: [],
    };
    const queues = ['scans', 'scans', 'migrations', 'migrations'];
    [ofScans = assert.fail()] = await Promise.all(
      queues.map((queue) => suite.service.addWorker({ WORKER_QUEUES: queue })),
    );
    temporal = await openTemporalClient(suite.stack);
    database = await openDatabase(suite.stack);
    for (const workflowId of MORE_SWEEPS)
      await temporal.workflow.start('sweepMigrations', { taskQueue: 'migrations', workflowId });
  });
  after(async () => {
    await database?.close();
    await temporal?.connection.close();
    await suite?.service.stop();
  });

  const terminate = async (workflowId: string) =>
    await temporal.workflow.getHandle(workflowId).terminate('a mistake');
  const deleteRun = async (workflowId: string) =>
    await temporal.workflowService.deleteWorkflowExecution({
      namespace: temporal.options.namespace,
      workflowExecution: { workflowId },
    });
  const idOf = ({ recommendationId }: RecommendedMove) => migrationWorkflowId(recommendationId);
  const stored = async ({ migrationId }: ApprovedMove) =>
    (await database.read('migrations', { _id: migrationId }))[0];
  const runsOf = async (move: RecommendedMove) =>
    (await temporal.workflow.count(`WorkflowId = '${idOf(move)}'`)).count;

  /** Waits until lost work runs again. */
  async function assertHeals(workflowId: string, scanId?: string): Promise<void> {
    const isOpen = async () => {
      const { status, memo } = await temporal.workflow.getHandle(workflowId).describe();
      return status.name === 'RUNNING' && memo?.['scanId'] === scanId;
    };
    const options = { withinMs: HEALED_WITHIN_MS, everyMs: 250 };
    assert.ok(await isSoon(isOpen, options), 'it is not started again');
  }

  async function startScan(isSlow: boolean) {
    const customer = await createCloudCustomer(suite.stack, suite.service.baseUrl);
    const objects = {
      count: SCANNED,
      keyPattern: '{i/1000:3}/file-{i:7}.jpg',
      size: [1_000, 200_000] as [number, number],
      lastModified: '2026-05-01T00:00:00Z',
    };
    customer.double.seed({ bucket: customer.bucket('large'), generated: [objects] });
    if (isSlow) slowDown(customer, 1_000);
    const connectionId = await customer.connect();
    const { scanId } = await customer.client.scanner.start(connectionId);
    if (isSlow) await untilRunning(customer, scanId);
    return { customer, connectionId, scanId, workflowId: scanWorkflowId(connectionId) };
  }

  /** Its result equals that of an undisturbed scan, and it is counted once. */
  async function assertWhole(started: Awaited<ReturnType<typeof startScan>>): Promise<void> {
    const { customer, scanId } = started;
    const scan = await customer.ended(scanId);
    assert.equal(scan.status, 'completed', JSON.stringify(scan.error));
    const { buckets, summary } = await customer.scan();
    assert.deepEqual([scan.buckets, scan.summary], [buckets, summary]);
    assert.equal(scan.summary.objects, SCANNED);
    const [counted] = await database.read('scanQuota', { accountId: customer.accountId });
    const { scanIds } = (counted ?? assert.fail()) as unknown as { scanIds: string[] };
    assert.equal(scanIds.filter((id) => id === scanId).length, 1);
    assert.equal(scanIds.length, 2);
  }

  /** How often each object was written at the target. */
  function writesOf({ double, target }: MigrationCustomer): number[] {
    const written = new Map<string, number>();
    for (const { operation, bucket, key, status } of double.requests()) {
      if (bucket !== target || operation !== 'PutObject' || status !== 200) continue;
      if (key?.includes('/o/') === true) written.set(key, (written.get(key) ?? 0) + 1);
    }
    return [...written.values()];
  }

  /** Every object once at the target, as the ledger says, and no copy was completed three times. */
  async function assertCompleted(move: ApprovedMove, objects: number): Promise<void> {
    const { customer, migrationId } = move;
    const migration = await customer.migrated(migrationId);
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    assert.equal(migration.progress.objectsCopied, objects);
    assert.ok(Math.max(...writesOf(customer)) <= 2);
    await assertIdentical(customer, migration);
  }

  /** Terminated in a phase, a migration is started again once and completes. */
  const terminatedWhile =
    (
      objects: number,
      faults: readonly SideFault[],
      isReached: (move: ApprovedMove) => Promise<boolean>,
    ) =>
    async () => {
      const move = await migrationOf(suite, { objects, faults });
      await eventually('the phase is reached', async () => await isReached(move));
      await terminate(idOf(move));
      await assertHeals(idOf(move));
      await assertCompleted(move, objects);
      assert.equal(await runsOf(move), 2);
    };

  itSideBySide({
    async 'a scan that was terminated continues under its id, and completes with the right figures'() {
      const scan = await startScan(true);
      await terminate(scan.workflowId);
      await assertHeals(scan.workflowId, scan.scanId);
      await assertWhole(scan);
    },
    async 'a scan that was terminated before its first activity, while its worker is killed, completes'() {
      const scan = await startScan(false);
      await Promise.all([terminate(scan.workflowId), ofScans.kill('SIGKILL')]);
      await ofScans.restart();
      await assertHeals(scan.workflowId, scan.scanId);
      await assertWhole(scan);
    },
    async 'a scan whose run was deleted completes'() {
      const scan = await startScan(true);
      await deleteRun(scan.workflowId);
      await assertWhole(scan);
    },
    async 'a scan that was terminated is replaced by the next one of its connection, and fails'() {
      const { customer, connectionId, scanId, workflowId } = await startScan(true);
      await terminate(workflowId);
      const next = await customer.client.scanner.start(connectionId);
      assert.equal((await customer.ended(next.scanId)).status, 'completed');
      assert.equal((await customer.ended(scanId)).status, 'failed');
    },
    'a migration that was terminated while it plans continues once and completes': terminatedWhile(
      FEW_OBJECTS,
      late('ListObjectsV2', 'source', 1_000),
      async (move) => (await stored(move))?.status === 'planning',
    ),
    'a migration that was terminated while it copies continues once and completes': terminatedWhile(
      SLOW.objects,
      SLOW.faults,
      async ({ customer, migrationId }) =>
        (await customer.client.migrations.get(migrationId)).progress.objectsCopied > SOME,
    ),
    'a migration that was terminated when all is copied and nothing verified completes':
      terminatedWhile(OBJECTS, lateWrites(50), async ({ migrationId }) => {
        const pages = await database.read('manifestCounts', { migrationId });
        return pages.reduce((sum, { copied }) => sum + Number(copied), 0) === OBJECTS;
      }),
    'a migration that was terminated while it verifies completes': terminatedWhile(
      FEW_OBJECTS,
      late('ListObjectsV2', 'target', 1_500),
      async (move) => (await stored(move))?.status === 'verifying',
    ),
    'a migration that was terminated while it writes its end completes': terminatedWhile(
      FEW_OBJECTS,
      late('HeadObject', 'target', 8_000, '*.storage-routing-canary-*'),
      async (move) => (await stored(move))?.['endReason'] !== undefined,
    ),
    async 'a migration whose run was deleted continues and completes'() {
      const move = await migrationOf(suite, SLOW);
      await untilCopied(move, SOME);
      await deleteRun(idOf(move));
      await assertCompleted(move, SLOW_OBJECTS);
    },
    async 'a move that was terminated while it waits is carried out all the same once it is approved'() {
      const move = await recommendedMove(suite, { objects: FEW_OBJECTS });
      await terminate(idOf(move));
      const migrationId = await move.customer.approve(move.recommendationId);
      await assertCompleted({ ...move, migrationId }, FEW_OBJECTS);
    },
    async 'a move that was terminated while it waits does not keep its recommendation open after the expiry'() {
      const move = await recommendedMove(suite, { objects: FEW_OBJECTS });
      await terminate(idOf(move));
      const past = new Date(Date.now() - 1_000);
      const recommendations = database.db.collection<{ _id: string }>('recommendations');
      const query = { _id: move.recommendationId };
      await recommendations.updateOne(query, { $set: { expiresAt: past, nextAttemptAt: past } });
      await eventually(
        'it is expired',
        async () => (await database.read('recommendations', query))[0]?.status === 'expired',
      );
    },
    async 'a migration that was terminated ends when it is cancelled, and frees its stores'() {
      const move = await migrationOf(suite, SLOW);
      const { customer, migrationId } = move;
      const { migrations, providers } = customer.client;
      await untilCopied(move, SOME);
      await terminate(idOf(move));
      await migrations.cancel(migrationId);
      const ended = await customer.migrated(migrationId);
      assert.equal(ended.status, 'cancelled', JSON.stringify(ended));
      await assertIdentical(customer, ended);
      await providers.delete('b2');
      await providers.delete('aws');
      assert.equal(await runsOf(move), 2);
      assert.deepEqual(await migrations.cancel(migrationId), ended);
    },
    async 'a migration that was terminated after it was cancelled is cancelled, not continued'() {
      const faults = lateWrites(5_000);
      const move = await migrationOf(suite, { objects: SLOW_OBJECTS, faults });
      const { customer, migrationId } = move;
      await eventually('it copies', async () => (await stored(move))?.status === 'copying');
      assert.equal((await customer.client.migrations.cancel(migrationId)).migrationId, migrationId);
      await terminate(idOf(move));
      const ended = await customer.migrated(migrationId);
      assert.equal(ended.status, 'cancelled', JSON.stringify(ended));
      assert.ok(ended.progress.objectsCopied < SLOW_OBJECTS);
      await assertIdentical(customer, ended);
    },
  });

  it('every invariant stays intact', async () => {
    for (const workflowId of MORE_SWEEPS) await terminate(workflowId);
    await assertInvariants(suite);
  });
});
