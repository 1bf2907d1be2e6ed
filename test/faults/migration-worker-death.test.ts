import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { startService, type Service, type ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { assertInvariants } from '../harness/invariants.ts';
import {
  createMigrationCustomer,
  assertIdentical,
  type MigrationCustomer,
} from '../harness/migration-customer.ts';
import { startOwnStack } from '../servers.ts';

/** `KILLS=100` is the long form. */
const KILLS = Number(process.env['KILLS'] || 10);
const WORKERS = 2;
const KILLS_PER_MIGRATION = 10;
const OBJECTS = 300;
const SIZES = [0, 100, 9_000_000, 200_000, 70_000_000];
/** The long ones are few: what matters is where the kill hits, not how much is copied. */
const sizeOf = (n: number): number => SIZES[n % 60 === 0 ? 4 : n % 20 === 0 ? 2 : n % 2] ?? 0;

describe('the death of workers in the middle of a migration', function () {
  this.timeout(KILLS * 30_000 + 60_000);
  let stack: Stack;
  let service: Service;
  const migrating: MigrationCustomer[] = [];
  const migrationWorkers: ServiceProcess[] = [];

  before(async () => {
    stack = await startOwnStack();
    assert.ok(stack.cloud);
    service = await startService(stack, {
      workerCount: 0,
      environment: { DEFAULT_PLAN: 'enterprise', PROVIDER_ENDPOINT_B2: stack.cloud.s3Endpoint },
    });
  });
  /** The one that scans is left alone. */
  before(async () => {
    await service.addWorker({ WORKER_QUEUES: 'uploads,scans' });
    for (let count = 0; count < WORKERS; count += 1)
      migrationWorkers.push(await service.addWorker({ WORKER_QUEUES: 'migrations' }));
  });
  after(async () => {
    await service?.stop();
    await stack?.stop();
  });

  /** The migration takes several seconds, so that kills at random moments hit every phase. */
  async function createSlowMove(): Promise<{
    customer: MigrationCustomer;
    recommendationId: string;
  }> {
    const customer = await createMigrationCustomer(stack, service.baseUrl);
    migrating.push(customer);
    customer.put(
      Array.from({ length: OBJECTS }, (_unused, n) => ({
        key: `o/${String(n).padStart(4, '0')}`,
        size: sizeOf(n),
        seed: `${n % 10}`,
      })),
    );
    const { recommendationId } = await customer.recommend();
    for (const [operation, bucket, latencyMs] of [
      ['GetObject', customer.source, 100],
      ['ListObjectsV2', customer.source, 300],
      ['PutObject', customer.target, 200],
      ['UploadPart', customer.target, 300],
      ['ListObjectsV2', customer.target, 300],
    ] as const)
      customer.double.addFault({ effect: 'latency', operation, bucket, latencyMs });
    return { customer, recommendationId };
  }

  /** How often each object's copy was completed at the target. */
  function completions(customer: MigrationCustomer): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { operation, bucket, key, status } of customer.double.requests()) {
      const isCompletion = operation === 'PutObject' || operation === 'CompleteMultipartUpload';
      if (bucket !== customer.target || !isCompletion || key === null || status !== 200) continue;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  }

  for (let killed = 0; killed < KILLS; killed += KILLS_PER_MIGRATION) {
    it(`loses nothing and copies nothing three times (kills ${killed + 1} to ${killed + KILLS_PER_MIGRATION})`, async () => {
      const { customer, recommendationId } = await createSlowMove();
      customer.double.resetCounters();
      const { migrationId } = await customer.client.migrations.approve(recommendationId, {
        targetProvider: 'b2',
      });
      for (let kill = 0; kill < KILLS_PER_MIGRATION; kill += 1) {
        await wait(randomInt(50, 4_000));
        const worker = migrationWorkers[kill % migrationWorkers.length];
        assert.ok(worker);
        await worker.kill('SIGKILL');
        await worker.restart();
      }
      customer.double.clearFaults();
      const migration = await customer.migrated(migrationId);
      assert.equal(migration.status, 'completed', JSON.stringify(migration));
      assert.equal(migration.progress.objectsCopied, OBJECTS);
      assert.equal(
        migration.progress.bytesCopied,
        Array.from({ length: OBJECTS }, (_unused, n) => sizeOf(n)).reduce((a, b) => a + b, 0),
      );
      assert.ok(Math.max(...completions(customer).values()) <= 2);
      await assertIdentical(customer, migration);
    });
  }

  it('leaves every invariant intact', async () => {
    await assertInvariants({ stack, service, migrating });
  });
});
