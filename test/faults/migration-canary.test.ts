import assert from 'node:assert/strict';
import type { Service, ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { eventually } from '../harness/customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import { createMigrationCustomer, type MigrationCustomer } from '../harness/migration-customer.ts';
import { startMigrationService } from '../servers.ts';

const OBJECTS = 20;

describe('the test object that a migration writes at its target', () => {
  let stack: Stack;
  let service: Service;
  const migrating: MigrationCustomer[] = [];
  let worker: ServiceProcess;

  before(async () => {
    ({ stack, service } = await startMigrationService({ workerCount: 0 }));
    await service.addWorker({ WORKER_QUEUES: 'uploads,scans' });
    worker = await service.addWorker({ WORKER_QUEUES: 'migrations' });
  });
  after(() => service?.stop());

  const canariesOf = async (customer: MigrationCustomer) =>
    [...(await customer.hashes(customer.target)).keys()].filter((key) => key.includes('canary'));

  /** A migration whose only worker was killed between the write of the test object and its delete. */
  async function killed() {
    const customer = await createMigrationCustomer(stack, service.baseUrl);
    migrating.push(customer);
    customer.put(
      Array.from({ length: OBJECTS }, (_unused, n) => ({ key: `o/${n}`, size: 200_000 })),
    );
    const operation = 'DeleteObject';
    const fault = { operation, bucket: customer.target, key: '*canary*' } as const;
    customer.double.addFault({ effect: 'latency', ...fault, latencyMs: 60_000 });
    const migrationId = await customer.move();
    await eventually('it is written', async () => (await canariesOf(customer)).length > 0);
    await worker.kill('SIGKILL');
    customer.double.clearFaults();
    assert.equal((await canariesOf(customer)).length, 1);
    return { customer, migrationId };
  }

  it('is removed by the next attempt of a worker that was killed', async () => {
    const { customer, migrationId } = await killed();
    await worker.restart();
    const { status } = await customer.migrated(migrationId);
    assert.equal(status, 'completed');
    assert.deepEqual(await canariesOf(customer), []);
    const written = customer.double
      .requests()
      .filter(({ operation, bucket }) => operation === 'PutObject' && bucket === customer.target)
      .filter(({ key }) => key?.includes('canary'));
    assert.ok(written.length >= 2);
    assert.equal(new Set(written.map(({ key }) => key)).size, 1, 'one name per migration');
  });

  it('is removed by the end of a migration that makes no further attempt', async () => {
    const { customer, migrationId } = await killed();
    await customer.client.migrations.cancel(migrationId);
    await worker.restart();
    const { status } = await customer.migrated(migrationId);
    assert.equal(status, 'cancelled');
    assert.deepEqual(await canariesOf(customer), []);
  });

  it('is not missed by checks that run at once', async () => {
    const customer = await createMigrationCustomer(stack, service.baseUrl);
    migrating.push(customer);
    customer.put(
      Array.from({ length: OBJECTS }, (_unused, n) => ({ key: `o/${n}`, size: 200_000 })),
    );
    // Each refused object makes its slice try the target.
    customer.double.addFault({
      effect: 'access_denied',
      operation: 'PutObject',
      bucket: customer.target,
      key: '*/o/*',
    });
    const migration = await customer.migrated(await customer.move());
    customer.double.clearFaults();
    assert.equal(migration.status, 'completed_with_failures', JSON.stringify(migration));
    assert.equal(migration.progress.objectsFailed, OBJECTS);
    assert.deepEqual(await canariesOf(customer), []);
  });

  it('leaves every invariant intact', async () => {
    await assertInvariants({ stack, service, migrating });
  });
});
