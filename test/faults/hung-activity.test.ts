import { activityOf } from '../harness/actor.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createCopyLimits } from '../../activities/object-copy/copy-limits.ts';
import { openRecords, type Records } from '../../adapters/mongo/records.ts';
import { createStoreHttp } from '../../adapters/object-store/http-client.ts';
import { createObjectStores } from '../../adapters/object-store/s3-store.ts';
import { createMigrationCommands } from '../../adapters/temporal/migration-commands.ts';
import { createSearchAttributeUse } from '../../adapters/temporal/search-attributes.ts';
import { readWorkerConfig } from '../../config/worker.ts';
import type { Stack } from '../../dev/stack.ts';
import { isSoon } from '../../dev/system/probes.ts';
import { migrationWorkflowId } from '../../messages/names.ts';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { activitiesFor } from '../../worker/fleet.ts';
import { createWorkMetrics } from '../../worker/metrics.ts';
import { reportProgress } from '../../worker/progress.ts';
import { createStoreGuard } from '../../worker/store-guard.ts';
import { maxUnanswered, queueTuning } from '../../worker/tuning.ts';
import { openHungServer, type HungServer } from '../harness/hung-server.ts';
import { insertMove } from '../harness/stored-recommendation.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { installQuietRuntime } from '../runtime.ts';
import { isolatedServers } from '../servers.ts';

/** The heartbeat timeout, and time for a busy machine; below the activity's own limit of 2 minutes. */
const TIMED_OUT_MS = 60_000;
const HEARTBEAT_MS = 30_000;
const AWS = { provider: 'aws', bucketName: 'source', region: 'us-east-1' } as const;
const B2 = { provider: 'b2', bucketName: 'target', region: 'us-west-002' } as const;

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
    const { environment } = stack;
    const config = readWorkerConfig({
      ...environment,
      CREDENTIAL_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    });
    const http = createStoreHttp({ onProgress: reportProgress });
    const now = () => new Date();
    const openStore = createObjectStores({
      http,
      endpoints: { aws: hung.url, b2: hung.url },
      now,
      idleMs: 0,
    });
    const unused = () => assert.fail('not used');
    const connection = await NativeConnection.connect({ address: config.temporal.address });
    const worker = await Worker.create({
      connection,
      namespace: environment['TEMPORAL_NAMESPACE'] ?? '',
      taskQueue: 'migrations',
      workflowBundle: await loadWorkflowBundle(),
      activities: activitiesFor('migrations', {
        ...config,
        client,
        records,
        stores: {
          of: unused,
          at: (_account, location) =>
            openStore(location, { accessKeyId: 'key', secretAccessKey: 'secret' }),
        },
        cloudAccounts: {
          listBuckets: unused,
          requiresExternalId: unused,
          open: unused,
          usage: unused,
        },
        guard: createStoreGuard({ maxUnanswered: maxUnanswered('migrations') }),
        limits: createCopyLimits({
          ...config.copying,
          bufferedBytes: 2 ** 20,
          now: () => performance.now(),
          wait: () => Promise.resolve(),
        }),
        metrics: createWorkMetrics(Runtime.instance().metricMeter),
        now,
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
    const moved = { accountId, bucket: AWS.bucketName, region: AWS.region, objects: 1, bytes: 1 };
    const recommendationId = await insertMove(records, moved);
    const recommendation =
      (await records.recommendations.find({ recommendationId, accountId })) ?? assert.fail();
    const quote = recommendation.options[0]?.quote ?? assert.fail();
    const approval = {
      targetProvider: 'b2' as const,
      quote,
      approvedBy: 'owner',
      approvedByName: 'owner',
      approvedAt: new Date(),
      requestId: 'hung',
      source: AWS,
      target: B2,
      keyPrefix: `${AWS.bucketName}/`,
      isDefaultPlace: true,
    };
    await records.recommendations.approve(
      recommendation,
      approval,
      activityOf(accountId, 'migration.approved'),
    );
    const searchAttributes = createSearchAttributeUse(() => performance.now());
    const commands = createMigrationCommands({ client, searchAttributes, now: () => new Date() });
    await commands.approve(recommendation);
    return recommendationId;
  }
});
