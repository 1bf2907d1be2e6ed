import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import type { Service, ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { isSoon } from '../../dev/system/probes.ts';
import { migrationWorkflowId } from '../../messages/names.ts';
import type { Migration } from '../../sdk/src/index.ts';
import { eventually, openDatabase } from '../harness/customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import {
  assertIdentical,
  createMigrationCustomer,
  type MigrationCustomer,
} from '../harness/migration-customer.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { startMigrationService } from '../servers.ts';

/** Two pages. */
const OBJECTS = 1_200;
/** Where no copy is interrupted. */
const FEW_OBJECTS = 100;
/** Half a minute to the next sweep, 15 s after the end of the run, and slack. */
const HEALED_WITHIN_MS = 75_000;

type Fault = readonly [operation: string, side: 'source' | 'target', latencyMs: number];

describe('a migration whose workflow is lost', function () {
  this.timeout(240_000);
  let stack: Stack;
  let service: Service;
  const migrating: MigrationCustomer[] = [];
  let worker: ServiceProcess;
  let temporal: Client;
  let database: Awaited<ReturnType<typeof openDatabase>>;

  before(async () => {
    ({ stack, service } = await startMigrationService({ workerCount: 0 }));
    await service.addWorker({ WORKER_QUEUES: 'uploads,scans' });
    worker = await service.addWorker({ WORKER_QUEUES: 'migrations' });
    await service.addWorker({ WORKER_QUEUES: 'migrations' });
    temporal = await openTemporalClient(stack);
    database = await openDatabase(stack);
  });
  after(async () => {
    await database?.close();
    await temporal?.connection.close();
    await service?.stop();
  });

  interface Move {
    readonly customer: MigrationCustomer;
    readonly recommendationId: string;
    readonly migrationId: string;
    readonly objects: number;
  }

  async function recommended(faults: readonly Fault[], objects: number) {
    const customer = await createMigrationCustomer(stack, service.baseUrl);
    migrating.push(customer);
    customer.put(
      Array.from({ length: objects }, (_unused, n) => ({
        key: `o/${String(n).padStart(4, '0')}`,
        size: 70_000,
        seed: `${n % 10}`,
      })),
    );
    const { recommendationId } = await customer.recommend();
    for (const [operation, side, latencyMs] of faults)
      customer.double.addFault({
        effect: 'latency',
        operation,
        bucket: customer[side],
        latencyMs,
      });
    return { customer, recommendationId };
  }

  async function approved(faults: readonly Fault[], objects = OBJECTS): Promise<Move> {
    const { customer, recommendationId } = await recommended(faults, objects);
    const { migrationId } = await customer.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    return { customer, recommendationId, migrationId, objects };
  }

  const terminate = async ({ recommendationId }: Pick<Move, 'recommendationId'>) =>
    await temporal.workflow.getHandle(migrationWorkflowId(recommendationId)).terminate('a mistake');
  const storedStatus = async ({ migrationId }: Move) =>
    (await database.read('migrations', { _id: migrationId }))[0]?.status;

  async function runsOf({ recommendationId }: Move): Promise<number> {
    const query = `WorkflowId = '${migrationWorkflowId(recommendationId)}'`;
    return (await temporal.workflow.count(query)).count;
  }
  async function isOpen({ recommendationId }: Move): Promise<boolean> {
    const run = await temporal.workflow.getHandle(migrationWorkflowId(recommendationId)).describe();
    return run.status.name === 'RUNNING';
  }
  async function assertHeals(move: Move): Promise<void> {
    const options = { withinMs: HEALED_WITHIN_MS, everyMs: 250 };
    assert.ok(await isSoon(async () => await isOpen(move), options), 'it is not started again');
  }

  /** How often each object was written at the target. */
  function writesOf({ double, target }: MigrationCustomer): Map<string, number> {
    const written = new Map<string, number>();
    for (const { operation, bucket, key, status } of double.requests()) {
      if (bucket !== target || operation !== 'PutObject' || status !== 200) continue;
      if (key?.includes('/o/') === true) written.set(key, (written.get(key) ?? 0) + 1);
    }
    return written;
  }

  /** Every object once at the target, as the ledger says, and no copy was completed three times. */
  async function assertCompleted({ customer, migrationId, objects }: Move): Promise<Migration> {
    const migration = await customer.migrated(migrationId);
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    assert.equal(migration.progress.objectsCopied, objects);
    assert.ok(Math.max(...writesOf(customer).values()) <= 2);
    await assertIdentical(customer, migration);
    return migration;
  }

  const untilCopying = async ({ customer, migrationId }: Move): Promise<void> =>
    await eventually('objects are copied', async () => {
      const { progress } = await customer.client.migrations.get(migrationId);
      return progress.objectsCopied > 200;
    });
  const PHASES: readonly {
    readonly phase: string;
    readonly faults: readonly Fault[];
    readonly objects: number;
    readonly isReached: (move: Move) => Promise<boolean>;
  }[] = [
    {
      phase: 'planning',
      faults: [['ListObjectsV2', 'source', 1_000]],
      objects: FEW_OBJECTS,
      isReached: async (move) => (await storedStatus(move)) === 'planning',
    },
    {
      phase: 'copying',
      faults: [['PutObject', 'target', 200]],
      objects: OBJECTS,
      isReached: async ({ customer, migrationId }) =>
        (await customer.client.migrations.get(migrationId)).progress.objectsCopied > 200,
    },
    {
      phase: 'when all is copied and nothing verified',
      faults: [['PutObject', 'target', 50]],
      objects: OBJECTS,
      isReached: async ({ migrationId }) => {
        const pages = await database.read('manifestCounts', { migrationId });
        return pages.reduce((sum, { copied }) => sum + Number(copied), 0) === OBJECTS;
      },
    },
    {
      phase: 'verifying',
      faults: [['ListObjectsV2', 'target', 1_500]],
      objects: FEW_OBJECTS,
      isReached: async (move) => (await storedStatus(move)) === 'verifying',
    },
    {
      phase: 'writing the end',
      faults: [['ListMultipartUploads', 'target', 4_000]],
      objects: FEW_OBJECTS,
      isReached: async ({ migrationId }) =>
        (await database.read('migrations', { _id: migrationId }))[0]?.['endReason'] !== undefined,
    },
  ];

  it('by a termination in any phase continues and completes', async () => {
    const moves = await Promise.all(
      PHASES.map(async ({ phase, faults, objects, isReached }) => {
        const move = await approved(faults, objects);
        await eventually(`the phase: ${phase}`, async () => await isReached(move));
        await terminate(move);
        await assertHeals(move);
        return move;
      }),
    );
    for (const move of moves) {
      await assertCompleted(move);
      assert.equal(await runsOf(move), 2);
    }
  });

  it('while its workers are killed continues and completes', async () => {
    const move = await approved([['PutObject', 'target', 200]]);
    await untilCopying(move);
    await Promise.all([terminate(move), worker.kill('SIGKILL')]);
    await worker.restart();
    await assertHeals(move);
    await assertCompleted(move);
  });

  it('by the deletion of its run continues and completes', async () => {
    const move = await approved([['PutObject', 'target', 200]]);
    await untilCopying(move);
    const { workflowService, options } = temporal;
    await workflowService.deleteWorkflowExecution({
      namespace: options.namespace,
      workflowExecution: { workflowId: migrationWorkflowId(move.recommendationId) },
    });
    await assertCompleted(move);
  });

  it('is started once by two sweeps at once', async () => {
    const move = await approved([['PutObject', 'target', 200]]);
    await untilCopying(move);
    await terminate(move);
    const isQuiet = async () => {
      const handle = temporal.workflow.getHandle(migrationWorkflowId(move.recommendationId));
      const { closeTime } = await handle.describe();
      return closeTime === undefined || Date.now() - closeTime.getTime() > 15_000;
    };
    await eventually('its activities have ended', isQuiet);
    const startSweep = async (name: string) =>
      await temporal.workflow.start('sweepMigrations', {
        taskQueue: 'migrations',
        workflowId: `${name}-${move.migrationId}`,
      });
    const sweeps = await Promise.all(['a', 'b', 'c'].map(startSweep));
    await eventually('it is started again', async () => await isOpen(move));
    await assertCompleted(move);
    for (const sweep of sweeps) await sweep.terminate('it has swept');
    assert.equal(await runsOf(move), 2);
  });

  it('while it waits is carried out all the same once it is approved', async () => {
    const { customer, recommendationId } = await recommended([], FEW_OBJECTS);
    await terminate({ recommendationId });
    const { migrationId } = await customer.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    await assertCompleted({ customer, recommendationId, migrationId, objects: FEW_OBJECTS });
  });

  it('while it waits does not keep its recommendation open after the expiry', async () => {
    const { recommendationId } = await recommended([], FEW_OBJECTS);
    await terminate({ recommendationId });
    const past = new Date(Date.now() - 1_000);
    await database.db
      .collection<{ _id: string }>('recommendations')
      .updateOne({ _id: recommendationId }, { $set: { expiresAt: past, nextAttemptAt: past } });
    await eventually('it is expired', async () => {
      const [stored] = await database.read('recommendations', { _id: recommendationId });
      return stored?.status === 'expired';
    });
  });

  it('ends when it is cancelled, and frees its stores', async () => {
    const move = await approved([['PutObject', 'target', 200]]);
    const { customer, migrationId } = move;
    await untilCopying(move);
    await terminate(move);
    await customer.client.migrations.cancel(migrationId);
    const ended = await customer.migrated(migrationId);
    assert.equal(ended.status, 'cancelled', JSON.stringify(ended));
    customer.double.clearFaults();
    await assertIdentical(customer, ended);
    await customer.client.providers.delete('b2');
    await customer.client.providers.delete('aws');
    assert.equal(await runsOf(move), 2);
    assert.deepEqual(await customer.client.migrations.cancel(migrationId), ended);
  });

  it('after it was cancelled is cancelled, not continued', async () => {
    const move = await approved([['PutObject', 'target', 5_000]]);
    const { customer, migrationId } = move;
    await eventually('it is copying', async () => (await storedStatus(move)) === 'copying');
    assert.equal((await customer.client.migrations.cancel(migrationId)).migrationId, migrationId);
    await terminate(move);
    const ended = await customer.migrated(migrationId);
    assert.equal(ended.status, 'cancelled', JSON.stringify(ended));
    assert.ok(ended.progress.objectsCopied < OBJECTS);
    customer.double.clearFaults();
    await assertIdentical(customer, ended);
  });

  it('leaves every invariant intact', async () => {
    await assertInvariants({ stack, service, migrating });
  });
});
