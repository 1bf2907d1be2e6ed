import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { startService, type Service, type ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { isSoon } from '../../dev/system/probes.ts';
import { migrationWorkflowId } from '../../messages/names.ts';
import {
  assertIdentical,
  createMigrationCustomer,
  type MigrationCustomer,
} from '../harness/migration-customer.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { openToxiproxy, type ProxiedServer } from '../harness/toxiproxy.ts';
import { startOwnStack } from '../servers.ts';

/** One object of this size takes longer than the heartbeat timeout at this rate. */
const SLOW_BYTES = 1_300_000;
const SLOW_KB_PER_SECOND = 28;
const AT_LEAST_MS = 40_000;
/** Longer than the heartbeat timeout was. */
const STALL_MS = 8_000;
const OBJECTS = 400;

describe('the heartbeats of a migration', () => {
  let stack: Stack;
  let service: Service;
  let worker: ServiceProcess;
  let temporal: Client;
  let source: ProxiedServer;

  before(async () => {
    stack = await startOwnStack();
    const s3Endpoint = stack.cloud?.double.s3Endpoint ?? assert.fail();
    source = await (await openToxiproxy(stack)).open('source', new URL(s3Endpoint).host);
    service = await startService(stack, {
      workerCount: 0,
      environment: {
        DEFAULT_PLAN: 'enterprise',
        PROVIDER_ENDPOINT_AWS: `http://${source.host}`,
        PROVIDER_ENDPOINT_B2: s3Endpoint,
      },
    });
    worker = await service.addWorker();
    temporal = await openTemporalClient(stack);
  });
  after(async () => {
    await temporal?.connection.close();
    await service?.stop();
    await stack?.stop();
  });

  it('report a body that trickles for over forty seconds, which is copied once', async () => {
    const customer = await createMigrationCustomer(stack, service.baseUrl);
    customer.put([{ key: 'slow', size: SLOW_BYTES }]);
    const { recommendationId } = await customer.recommend();
    customer.double.resetCounters();
    await source.slowDown(SLOW_KB_PER_SECOND);
    const startedAt = performance.now();
    const migration = await migrate(customer, recommendationId);
    assert.ok(performance.now() - startedAt > AT_LEAST_MS, 'the store was not slow');
    await source.heal();
    const count = (operation: string, bucket: string) =>
      customer.double
        .requests()
        .filter((request) => request.operation === operation && request.bucket === bucket)
        .filter(({ key }) => key?.endsWith('slow')).length;
    // The preflight reads one byte.
    assert.equal(count('GetObject', customer.source), 2);
    assert.equal(count('PutObject', customer.target), 1);
    await assertIdentical(customer, migration);
    assert.deepEqual(await attemptsOf(recommendationId), [1]);
  });

  it('survive a worker that stands still for eight seconds', async () => {
    const customer = await createMigrationCustomer(stack, service.baseUrl);
    customer.put(
      Array.from({ length: OBJECTS }, (_unused, n) => ({ key: `o/${n}`, size: 70_000 })),
    );
    const { recommendationId } = await customer.recommend();
    const { source: bucket } = customer;
    customer.double.addFault({
      effect: 'latency',
      operation: 'GetObject',
      bucket,
      latencyMs: 400,
    });
    const migrated = migrate(customer, recommendationId);
    const isCopying = () =>
      Promise.resolve(
        customer.double
          .requests()
          .some(({ operation, bucket: at }) => operation === 'PutObject' && at === customer.target),
      );
    assert.ok(await isSoon(isCopying, { withinMs: 30_000, everyMs: 50 }));
    await worker.pause();
    await wait(STALL_MS);
    worker.resume();
    const migration = await migrated;
    customer.double.clearFaults();
    await assertIdentical(customer, migration);
    assert.deepEqual(await attemptsOf(recommendationId), [1]);
  });

  async function migrate(customer: MigrationCustomer, recommendationId: string) {
    const { migrationId } = await customer.client.migrations.approve(recommendationId, {
      targetProvider: 'b2',
    });
    const migration = await customer.client.migrations.waitFor(migrationId, { pollMs: 200 });
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    return migration;
  }

  /** The different numbers of attempts of all activities. */
  async function attemptsOf(recommendationId: string): Promise<number[]> {
    const handle = temporal.workflow.getHandle(migrationWorkflowId(recommendationId));
    await handle.result();
    const { events } = await handle.fetchHistory();
    const attempts = (events ?? []).flatMap(
      ({ activityTaskStartedEventAttributes: started }) => started?.attempt ?? [],
    );
    return [...new Set(attempts)];
  }
});
