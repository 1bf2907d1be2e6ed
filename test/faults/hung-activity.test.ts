import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { openRecords, type Records } from '../../adapters/mongo/records.ts';
import { createStoreHttp } from '../../adapters/object-store/http-client.ts';
import { createObjectStores } from '../../adapters/object-store/s3-store.ts';
import { createStoreClocks } from '../../adapters/object-store/store-clocks.ts';
import { createMigrationCommands } from '../../adapters/temporal/migration-commands.ts';
import { Workflows } from '../../adapters/temporal/workflows.ts';
import type { Stack } from '../../dev/stack.ts';
import { isSoon } from '../../dev/system/probes.ts';
import { migrationWorkflowId } from '../../messages/names.ts';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { reportProgress } from '../../worker/progress.ts';
import { queueTuning } from '../../worker/tuning.ts';
import { openHungServer, type HungServer } from '../harness/hung-server.ts';
import { queueActivities } from '../harness/queue-activities.ts';
import { insertApproved } from '../harness/stored-approval.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { installQuietRuntime } from '../runtime.ts';
import { isolatedServers } from '../servers.ts';
import { endpointsAt, fakeAccountStores } from '../harness/catalogue.ts';

/** The heartbeat timeout, and time for a busy machine; below the activity's own limit of 2 minutes. */
const TIMED_OUT_MS = 60_000;
const HEARTBEAT_MS = 30_000;
describe('an activity whose call never settles', () => {
  let stack: Stack;
  let hung: HungServer;
  let records: Records;
  let client: Client;
  let stop: () => Promise<void>;

  before(async () => {
    installQuietRuntime();
    stack = await isolatedServers();
    hung = await openHungServer();
    client = await openTemporalClient(stack);
    const { MONGODB_URI: uri = '', MONGODB_DATABASE: database = '' } = stack.environment;
    records = openRecords({ uri, database });
    stop = await startMigrationWorker();
  });
  after(async () => {
    hung?.close();
    await stop?.();
    await records?.close();
    await client?.connection.close();
  });

  it('is timed out by the server after thirty seconds, and tried again', async () => {
    const recommendationId = await approvedMove();
    const pending = async () => {
      const { raw } = await client.workflow
        .getHandle(migrationWorkflowId(recommendationId))
        .describe();
      return raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'tryStores');
    };
    assert.ok(
      await isSoon(async () => (await pending()) !== undefined, { withinMs: 20_000, everyMs: 100 }),
    );
    const startedAt = performance.now();
    const isRepeated = async () => Number((await pending())?.attempt) > 1;
    assert.ok(
      await isSoon(isRepeated, { withinMs: TIMED_OUT_MS, everyMs: 200 }),
      'the first attempt still runs',
    );
    const ms = performance.now() - startedAt;
    assert.ok(ms > HEARTBEAT_MS - 5_000, `after ${ms} ms`);
    const failure = (await pending())?.lastFailure;
    assert.match(String(failure?.message), /heartbeat/i);
  });

  /** A worker whose stores are the hung server, without any time-out. */
  async function startMigrationWorker(): Promise<() => Promise<void>> {
    const { TEMPORAL_ADDRESS: address = '', TEMPORAL_NAMESPACE: namespace = '' } =
      stack.environment;
    const http = createStoreHttp({ onProgress: reportProgress });
    const openStore = createObjectStores({
      http,
      findEndpoint: endpointsAt({ aws: hung.url, b2: hung.url }),
      clocks: createStoreClocks(),
      idleMs: 0,
    });
    const keys = { accessKeyId: 'key', secretAccessKey: 'secret' };
    const connection = await NativeConnection.connect({ address });
    const worker = await Worker.create({
      connection,
      namespace,
      taskQueue: 'migrations',
      workflowBundle: await loadWorkflowBundle(),
      activities: queueActivities('migrations', {
        client,
        records,
        stores: fakeAccountStores({ at: (_account, location) => openStore(location, keys) }),
      }),
      ...queueTuning('migrations'),
      shutdownGraceTime: 0,
      shutdownForceTime: 1_000,
    });
    const running = worker.run();
    return async () => {
      worker.shutdown();
      await running.catch(() => undefined);
      http.close();
      await connection.close();
    };
  }

  async function approvedMove(): Promise<string> {
    const accountId = `account-${randomUUID()}`;
    await records.accounts.findOrCreate(accountId, 'enterprise', new Date());
    const key = await insertApproved(records, { accountId });
    const approved = (await records.recommendations.findRecommendation(key)) ?? assert.fail();
    const commands = createMigrationCommands(new Workflows(client), () => new Date());
    await commands.approve(approved);
    return key.recommendationId;
  }
});
