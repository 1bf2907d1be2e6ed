import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import type { ServiceProcess } from '../../dev/service.ts';
import { isSoon } from '../../dev/system/probes.ts';
import { migrationWorkflowId } from '../../messages/names.ts';
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
import { openTemporalClient } from '../harness/temporal.ts';
import { startMigrationService } from '../servers.ts';

/** Two pages. */
const OBJECTS = 1_200;
/** Where no copy is interrupted. */
const FEW_OBJECTS = 100;
/** Half a minute to the next sweep, 15 s after the end of the run, and slack. */
const HEALED_WITHIN_MS = 75_000;

const late = (
  operation: string,
  side: SideFault['side'],
  latencyMs: number,
): readonly SideFault[] => [{ effect: 'latency', operation, side, latencyMs }];
const SLOW = { objects: OBJECTS, faults: late('PutObject', 'target', 200) };

describe('a migration whose workflow is lost', function () {
  this.timeout(300_000);
  let suite: MigrationSuite;
  let worker: ServiceProcess;
  let temporal: Client;
  let database: Awaited<ReturnType<typeof openDatabase>>;
  /** They begin together, because most of their time is a wait for the sweep. */
  const outcomes = new Map<string, Promise<void>>();

  before(async () => {
    suite = { ...(await startMigrationService({ workerCount: 0 })), migrating: [] };
    await suite.service.addWorker({ WORKER_QUEUES: 'uploads,scans' });
    worker = await suite.service.addWorker({ WORKER_QUEUES: 'migrations' });
    await suite.service.addWorker({ WORKER_QUEUES: 'migrations' });
    temporal = await openTemporalClient(suite.stack);
    database = await openDatabase(suite.stack);
    for (const [title, story] of Object.entries(STORIES)) {
      const outcome = story();
      // Awaited by its test, which may come later.
      outcome.catch(() => undefined);
      outcomes.set(title, outcome);
    }
  });
  after(async () => {
    await Promise.allSettled(outcomes.values());
    await database?.close();
    await temporal?.connection.close();
    await suite?.service.stop();
  });

  const handleOf = ({ recommendationId }: RecommendedMove) =>
    temporal.workflow.getHandle(migrationWorkflowId(recommendationId));
  const terminate = async (move: RecommendedMove) => await handleOf(move).terminate('a mistake');
  const isOpen = async (move: RecommendedMove) =>
    (await handleOf(move).describe()).status.name === 'RUNNING';
  const stored = async ({ migrationId }: ApprovedMove) =>
    (await database.read('migrations', { _id: migrationId }))[0];

  async function runsOf({ recommendationId }: RecommendedMove): Promise<number> {
    const query = `WorkflowId = '${migrationWorkflowId(recommendationId)}'`;
    return (await temporal.workflow.count(query)).count;
  }
  async function assertHeals(move: RecommendedMove): Promise<void> {
    const options = { withinMs: HEALED_WITHIN_MS, everyMs: 250 };
    assert.ok(await isSoon(async () => await isOpen(move), options), 'it is not started again');
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

  /** Terminated in a phase, it is started again once and completes. */
  const terminatedWhile =
    (
      objects: number,
      faults: readonly SideFault[],
      isReached: (move: ApprovedMove) => Promise<boolean>,
    ) =>
    async () => {
      const move = await migrationOf(suite, { objects, faults });
      await eventually('the phase is reached', async () => await isReached(move));
      await terminate(move);
      await assertHeals(move);
      await assertCompleted(move, objects);
      assert.equal(await runsOf(move), 2);
    };

  const STORIES: Readonly<Record<string, () => Promise<void>>> = {
    'while it plans continues and completes': terminatedWhile(
      FEW_OBJECTS,
      late('ListObjectsV2', 'source', 1_000),
      async (move) => (await stored(move))?.status === 'planning',
    ),
    'while it copies continues and completes': terminatedWhile(
      SLOW.objects,
      SLOW.faults,
      async ({ customer, migrationId }) =>
        (await customer.client.migrations.get(migrationId)).progress.objectsCopied > 200,
    ),
    'when all is copied and nothing verified completes': terminatedWhile(
      OBJECTS,
      late('PutObject', 'target', 50),
      async ({ migrationId }) => {
        const pages = await database.read('manifestCounts', { migrationId });
        return pages.reduce((sum, { copied }) => sum + Number(copied), 0) === OBJECTS;
      },
    ),
    'while it verifies completes': terminatedWhile(
      FEW_OBJECTS,
      late('ListObjectsV2', 'target', 1_500),
      async (move) => (await stored(move))?.status === 'verifying',
    ),
    'while it writes its end completes': terminatedWhile(
      FEW_OBJECTS,
      late('ListMultipartUploads', 'target', 4_000),
      async (move) => (await stored(move))?.['endReason'] !== undefined,
    ),
    async 'by the deletion of its run continues and completes'() {
      const move = await migrationOf(suite, SLOW);
      await untilCopied(move, 200);
      await temporal.workflowService.deleteWorkflowExecution({
        namespace: temporal.options.namespace,
        workflowExecution: { workflowId: migrationWorkflowId(move.recommendationId) },
      });
      await assertCompleted(move, OBJECTS);
    },
    async 'while it waits is carried out all the same once it is approved'() {
      const move = await recommendedMove(suite, { objects: FEW_OBJECTS });
      await terminate(move);
      const migrationId = await move.customer.approve(move.recommendationId);
      await assertCompleted({ ...move, migrationId }, FEW_OBJECTS);
    },
    async 'while it waits does not keep its recommendation open after the expiry'() {
      const move = await recommendedMove(suite, { objects: FEW_OBJECTS });
      await terminate(move);
      const past = new Date(Date.now() - 1_000);
      const recommendations = database.db.collection<{ _id: string }>('recommendations');
      const query = { _id: move.recommendationId };
      await recommendations.updateOne(query, { $set: { expiresAt: past, nextAttemptAt: past } });
      await eventually(
        'it is expired',
        async () => (await database.read('recommendations', query))[0]?.status === 'expired',
      );
    },
    async 'ends when it is cancelled, and frees its stores'() {
      const move = await migrationOf(suite, SLOW);
      const { customer, migrationId } = move;
      const { migrations, providers } = customer.client;
      await untilCopied(move, 200);
      await terminate(move);
      await migrations.cancel(migrationId);
      const ended = await customer.migrated(migrationId);
      assert.equal(ended.status, 'cancelled', JSON.stringify(ended));
      await assertIdentical(customer, ended);
      await providers.delete('b2');
      await providers.delete('aws');
      assert.equal(await runsOf(move), 2);
      assert.deepEqual(await migrations.cancel(migrationId), ended);
    },
    async 'after it was cancelled is cancelled, not continued'() {
      const faults = late('PutObject', 'target', 5_000);
      const move = await migrationOf(suite, { objects: OBJECTS, faults });
      const { customer, migrationId } = move;
      await eventually('it copies', async () => (await stored(move))?.status === 'copying');
      assert.equal((await customer.client.migrations.cancel(migrationId)).migrationId, migrationId);
      await terminate(move);
      const ended = await customer.migrated(migrationId);
      assert.equal(ended.status, 'cancelled', JSON.stringify(ended));
      assert.ok(ended.progress.objectsCopied < OBJECTS);
      await assertIdentical(customer, ended);
    },
  };

  for (const title of Object.keys(STORIES))
    it(title, async () => await (outcomes.get(title) ?? assert.fail()));

  it('while a worker dies is started once by several sweeps at once, and completes', async () => {
    const move = await migrationOf(suite, SLOW);
    await untilCopied(move, 200);
    await Promise.all([terminate(move), worker.kill('SIGKILL')]);
    await worker.restart();
    await eventually('its activities have ended', async () => {
      const { closeTime } = await handleOf(move).describe();
      return closeTime === undefined || Date.now() - closeTime.getTime() > 15_000;
    });
    const startSweep = async (name: string) =>
      await temporal.workflow.start('sweepMigrations', {
        taskQueue: 'migrations',
        workflowId: `${name}-${move.migrationId}`,
      });
    const sweeps = await Promise.all(['a', 'b', 'c'].map(startSweep));
    await assertHeals(move);
    await assertCompleted(move, OBJECTS);
    for (const sweep of sweeps) await sweep.terminate('it has swept');
    assert.equal(await runsOf(move), 2);
  });

  it('leaves every invariant intact', async () => {
    await assertInvariants(suite);
  });
});
