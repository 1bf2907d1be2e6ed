import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { activityInfo } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { StoreSuspendedError } from '../../../activities/common/store-guard.ts';
import { createLogger } from '../../../adapters/telemetry/logger.ts';
import { createRequestScope } from '../../../adapters/telemetry/request-scope.ts';
import type { Stack } from '../../../dev/stack.ts';
import { migrationWorkflowId, MIGRATION_WORKFLOW } from '../../../messages/names.ts';
import { createPayloadCodec, NO_KEYS } from '../../../adapters/temporal/payload-codec.ts';
import { guardActivities } from '../../../worker/activity-interceptor.ts';
import { loadWorkflowBundle } from '../../../worker/bundle.ts';
import { attempt } from '../../../worker/progress.ts';
import { queueTuning } from '../../../worker/tuning.ts';
import { openTemporalClient } from '../../harness/temporal.ts';
import { installQuietRuntime } from '../../runtime.ts';
import { isolatedServers } from '../../servers.ts';
import { OPENED_MIGRATION } from '../../harness/opened-migration.ts';

/** Attempts at the suspended store, and the one after them that fails by itself. */
const POSTPONED = 2;

describe('an attempt at a suspended store', () => {
  let stack: Stack;
  let client: Client;

  before(async () => {
    installQuietRuntime();
    stack = await isolatedServers();
    client = await openTemporalClient(stack);
  });
  after(() => client.connection.close());

  it('is repeated a little later, and does not count', async () => {
    const counted: number[] = [];
    const startedAt: number[] = [];
    const tryStores = () => {
      startedAt.push(performance.now());
      const taken = activityInfo().attempt;
      if (taken <= POSTPONED) return Promise.reject(new StoreSuspendedError());
      counted.push(attempt());
      if (taken === POSTPONED + 1) return Promise.reject(new Error('of its own'));
      return Promise.reject(ApplicationFailure.nonRetryable('enough', 'provider_error'));
    };
    await runMigration(tryStores);
    assert.deepEqual(counted, [1, 2]);
    const [first = 0, second = 0, third = 0] = startedAt;
    assert.ok(second - first > 900, `the second attempt came after ${second - first} ms`);
    assert.ok(third - second > 1_900, `the third attempt came after ${third - second} ms`);
  });

  /** A migration whose activities do nothing, up to the trial of its stores. */
  async function runMigration(tryStores: () => Promise<unknown>): Promise<void> {
    const { TEMPORAL_ADDRESS: address = '', TEMPORAL_NAMESPACE: namespace = '' } =
      stack.environment;
    const connection = await NativeConnection.connect({ address });
    const log = createLogger('test', 'silent');
    const guard = guardActivities(log, createRequestScope(), createPayloadCodec(NO_KEYS));
    const worker = await Worker.create({
      connection,
      namespace,
      taskQueue: 'migrations',
      workflowBundle: await loadWorkflowBundle(),
      activities: {
        expireRecommendation: () => Promise.resolve({ status: 'approved' }),
        openMigration: () => Promise.resolve(OPENED_MIGRATION),
        tryStores,
        abortUploads: () => Promise.resolve({ aborted: 0 }),
        endMigration: () => Promise.resolve({ status: 'failed' }),
      },
      interceptors: { activity: [guard] },
      ...queueTuning('migrations'),
    });
    const recommendationId = randomUUID();
    await worker.runUntil(
      client.workflow.execute(MIGRATION_WORKFLOW, {
        taskQueue: 'migrations',
        workflowId: migrationWorkflowId(recommendationId),
        args: [{ migrationId: recommendationId, accountId: 'a', round: 1 }],
      }),
    );
    await connection.close();
  }
});
