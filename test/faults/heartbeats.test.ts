import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { ServiceProcess } from '../../dev/service.ts';
import { migrationWorkflowId } from '../../messages/names.ts';
import {
  assertIdentical,
  migrationOf,
  recommendedMove,
  untilCopied,
  type ApprovedMove,
  type MigrationSuite,
} from '../harness/migration-customer.ts';
import { itSideBySide } from '../harness/side-by-side.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { openToxiproxy, type ProxiedServer } from '../harness/toxiproxy.ts';
import { localServers, startMigrationService } from '../servers.ts';

/** One object of this size takes longer than the heartbeat timeout at this rate. */
const SLOW_BYTES = 1_300_000;
const SLOW_KB_PER_SECOND = 36;
const AT_LEAST_MS = 32_000;
/** Longer than the heartbeat timeout was. */
const STALL_MS = 8_000;
const OBJECTS = 400;

describe('the heartbeats of a migration', () => {
  let suite: MigrationSuite;
  let worker: ServiceProcess;
  let temporal: Client;
  let source: ProxiedServer;

  before(async () => {
    const { stack } = await localServers();
    const s3Endpoint = stack.cloud?.double.s3Endpoint ?? assert.fail();
    source = await (await openToxiproxy(stack)).open('source', new URL(s3Endpoint).host);
    const environment = {
      PROVIDER_ENDPOINT_AWS: `http://${source.host}`,
      WORKER_QUEUES: 'scans,migrations',
    };
    suite = { ...(await startMigrationService({ environment })), migrating: [] };
    [worker = assert.fail()] = suite.service.workers;
    temporal = await openTemporalClient(suite.stack);
  });
  after(async () => {
    await temporal?.connection.close();
    await suite?.service.stop();
  });

  async function trickle(): Promise<void> {
    const objects = [{ key: 'slow', size: SLOW_BYTES }];
    const { customer, recommendationId } = await recommendedMove(suite, { objects });
    await source.slowDown(SLOW_KB_PER_SECOND);
    const startedAt = performance.now();
    const migrationId = await customer.approve(recommendationId);
    const migration = await uninterrupted({ customer, recommendationId, migrationId });
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
  }

  async function standStill(): Promise<void> {
    const move = await migrationOf(suite, {
      objects: OBJECTS,
      faults: [{ side: 'source', effect: 'latency', operation: 'GetObject', latencyMs: 400 }],
    });
    await untilCopied(move);
    await worker.pause();
    await wait(STALL_MS);
    worker.resume();
    const migration = await uninterrupted(move);
    move.customer.double.clearFaults();
    await assertIdentical(move.customer, migration);
  }

  /**
   * It completes, and no attempt of an activity timed out. A call to a store or to the database that was under way while
   * the worker stood still may fail, and its activity is attempted once more.
   */
  async function uninterrupted({ customer, recommendationId, migrationId }: ApprovedMove) {
    const migration = await customer.migrated(migrationId);
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    const handle = temporal.workflow.getHandle(migrationWorkflowId(recommendationId));
    await handle.result();
    const { events } = await handle.fetchHistory();
    const [repeated, timedOut] = [[] as unknown[], [] as unknown[]];
    for (const { activityTaskStartedEventAttributes: started, ...event } of events ?? []) {
      if (event.activityTaskTimedOutEventAttributes) timedOut.push(event.eventId);
      if (started?.lastFailure?.timeoutFailureInfo) timedOut.push(started.lastFailure.message);
      if (started && (started.attempt ?? 0) > 2) repeated.push(started.lastFailure?.message);
    }
    assert.deepEqual(timedOut, []);
    // The history has the failure of the attempt before the last one alone.
    assert.deepEqual(repeated, []);
    return migration;
  }

  itSideBySide({
    'report a body that trickles for over thirty seconds, which is copied once': trickle,
    'survive a worker that stands still for eight seconds': standStill,
  });
});
