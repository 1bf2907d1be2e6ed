import { randomUUID } from 'node:crypto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { createPayloadCodec, NO_KEYS } from '../../adapters/temporal/payload-codec.ts';
import { createCloudAccounts } from '../../adapters/cloud-account/cloud-accounts.ts';
import { openRecords } from '../../adapters/mongo/records.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import { createStoreClocks } from '../../adapters/object-store/store-clocks.ts';
import { createLogger } from '../../adapters/telemetry/logger.ts';
import { createRequestScope } from '../../adapters/telemetry/request-scope.ts';
import { INDEXED_AS_KEYWORD } from '../../adapters/temporal/search-attributes.ts';
import { guardActivities } from '../../worker/activity-interceptor.ts';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { SEARCH_ATTRIBUTES, type TaskQueue } from '../../messages/names.ts';
import { installQuietRuntime } from '../runtime.ts';
import { queueActivities } from './queue-activities.ts';
import { endpointsAt } from './catalogue.ts';

/** A time-skipping Temporal server with a worker, and a database. */
export type TimeSkippingHarness = Awaited<ReturnType<typeof createTimeSkippingHarness>>;

export interface TimeSkippingOptions {
  readonly timeSkippingServer: string;
  readonly mongodbUri: string;
  readonly queue: TaskQueue;
  readonly stores: AccountStores;
}

export async function createTimeSkippingHarness({
  timeSkippingServer,
  mongodbUri,
  queue,
  stores,
}: TimeSkippingOptions) {
  installQuietRuntime();
  const env = await startTimeSkipping(timeSkippingServer);
  // This server cannot list the registered attributes, so all are registered.
  await env.connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: Object.fromEntries(
      Object.values(SEARCH_ATTRIBUTES).map(({ name }) => [name, INDEXED_AS_KEYWORD]),
    ),
  });
  let aheadMs = 0;
  /** The server's time, which is ahead of the clock. */
  const now = () => new Date(Date.now() + aheadMs);
  const database = `test_${randomUUID().slice(0, 8)}`;
  const records = openRecords({ uri: mongodbUri, database });
  await records.ensureIndexes('rule');
  await records.ensureIndexes('speed');
  const guard = guardActivities(
    createLogger('test', 'silent'),
    createRequestScope(),
    createPayloadCodec(NO_KEYS),
  );
  const worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue: queue,
    workflowBundle: await loadWorkflowBundle(),
    activities: queueActivities(queue, {
      client: env.client,
      records,
      stores,
      cloudAccounts: createCloudAccounts({
        assumeRole: () => Promise.reject(new StoreError('unreachable')),
        http: () => Promise.reject(new StoreError('unreachable')),
        findEndpoint: endpointsAt(),
        usageEndpoints: { costExplorer: undefined, cloudWatch: undefined },
        clocks: createStoreClocks(now),
      }),
      now,
    }),
    interceptors: { activity: [guard] },
  });
  const running = worker.run();

  const given = { env, records, now };
  return {
    ...given,
    /** Updates the offset of the server's time. */
    async readClock() {
      aheadMs = (await env.currentTimeMs()) - Date.now();
    },
    async close() {
      worker.shutdown();
      await running;
      await records.close();
      await env.teardown();
    },
  };
}

const TRIES = 5;

/** Retries: the SDK waits five seconds for the server, which is too short on a busy machine. */
export async function startTimeSkipping(path: string): Promise<TestWorkflowEnvironment> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await TestWorkflowEnvironment.createTimeSkipping({
        server: { executable: { type: 'existing-path', path } },
      });
    } catch (error) {
      if (tried === TRIES) throw error;
    }
  }
}
