import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { startService, type Service, type ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { isSoon } from '../../dev/system/probes.ts';
import { assertIdentical, createMigrationCustomer } from '../harness/migration-customer.ts';
import { startOwnStack } from '../servers.ts';

const OBJECTS = 300;
/** Longer than the slices' writes in flight take. */
const WATCHED_MS = 5_000;

describe('a worker that stands still while its migration is cancelled', () => {
  let stack: Stack;
  let service: Service;
  let copying: ServiceProcess;

  before(async () => {
    stack = await startOwnStack();
    assert.ok(stack.cloud);
    service = await startService(stack, {
      workerCount: 0,
      environment: { DEFAULT_PLAN: 'enterprise', PROVIDER_ENDPOINT_B2: stack.cloud.s3Endpoint },
    });
    await service.addWorker({ WORKER_QUEUES: 'uploads,scans' });
    copying = await service.addWorker({ WORKER_QUEUES: 'migrations' });
  });
  after(async () => {
    await service?.stop();
    await stack?.stop();
  });

  it('writes nothing when it goes on after the end', async () => {
    const customer = await createMigrationCustomer(stack, service.baseUrl);
    customer.put(
      Array.from({ length: OBJECTS }, (_unused, n) => ({ key: `o/${1_000 + n}`, size: 200_000 })),
    );
    const { recommendationId } = await customer.recommend();
    const { source: bucket } = customer;
    customer.double.addFault({ effect: 'latency', operation: 'GetObject', bucket, latencyMs: 900 });
    const { migrations } = customer.client;
    const { migrationId } = await migrations.approve(recommendationId, { targetProvider: 'b2' });
    const isCopying = async () => (await migrations.get(migrationId)).progress.objectsCopied > 20;
    assert.ok(await isSoon(isCopying, { withinMs: 60_000, everyMs: 50 }));

    // Objects in flight have been read from the source, and not been written.
    await copying.pause();
    await service.addWorker({ WORKER_QUEUES: 'migrations' });
    await migrations.cancel(migrationId);
    const ended = await customer.migrated(migrationId);
    assert.equal(ended.status, 'cancelled', JSON.stringify(ended));
    const observe = async () => ({
      migration: await migrations.get(migrationId),
      report: await customer.report(migrationId),
      listing: (
        await customer
          .s3For(customer.target)
          .send(new ListObjectsV2Command({ Bucket: customer.target }))
      ).Contents?.map(({ Key, LastModified }) => [Key, LastModified]),
    });
    const before = await observe();
    copying.resume();
    await wait(WATCHED_MS);
    assert.deepEqual(await observe(), before);
    customer.double.clearFaults();
    // An object that was written before the pause may have no line.
    assert.ok((before.listing?.length ?? 0) >= before.report.length);
    await assertIdentical(customer, ended);
  });
});
