import assert from 'node:assert/strict';
import type { WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { Workflows } from '../../adapters/temporal/workflows.ts';
import { createUploadCommands } from '../../adapters/temporal/upload-commands.ts';
import type { UploadActivities } from '../../activities/uploads/uploads.ts';
import { uploadWorkflowId } from '../../messages/names.ts';
import { isSoon } from '../../dev/system/probes.ts';
import type { Stack } from '../../dev/stack.ts';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { describeFile } from '../harness/described-file.ts';
import { installQuietRuntime } from '../runtime.ts';
import { isolatedServers } from '../servers.ts';

const WAITING = 80;
const LATER = 2;
/** Where the tasks of the second account must be done: with fairness they take turns. */
const SOON = 20;
const FOR_A_MINUTE = { withinMs: 60_000, everyMs: 50 };

describe('two accounts on one queue', () => {
  let stack: Stack;
  let client: Awaited<ReturnType<typeof openTemporalClient>>;

  before(async () => {
    installQuietRuntime();
    stack = await isolatedServers();
    client = await openTemporalClient(stack);
  });
  after(() => client.connection.close());

  it('share its slots: two tasks of one do not wait for eighty of the other', async () => {
    const served = await serveOneByOne();
    const uploads = createUploadCommands(new Workflows(client), () => new Date());
    const wake = async (accountId: string) => {
      const file = { ...describeFile(new Date()), accountId };
      await uploads.wake(file);
      return client.workflow.getHandle(uploadWorkflowId(file.fileId));
    };
    const isQueued = async (workflow: WorkflowHandle) => {
      const { raw } = await workflow.describe();
      return raw.pendingActivities?.[0]?.activityType?.name === 'deleteObject';
    };
    try {
      for (let count = 0; count < WAITING; count += 1) await wake('busy');
      assert.ok(await isSoon(async () => served.waiting() >= WAITING, FOR_A_MINUTE));
      for (let count = 0; count < LATER; count += 1) {
        const workflow = await wake('other');
        assert.ok(await isSoon(() => isQueued(workflow), FOR_A_MINUTE));
      }
      served.open();
      assert.ok(await isSoon(async () => served.order.length === WAITING + LATER, FOR_A_MINUTE));
      const place = served.order.lastIndexOf('other');
      assert.ok(place < SOON, `the last task of the other account came as number ${place + 1}`);
    } finally {
      await served.stop();
    }
  });

  /** A worker with one slot for activities, which the first activity holds until `open`. */
  async function serveOneByOne() {
    const { environment } = stack;
    const connection = await NativeConnection.connect({
      address: environment['TEMPORAL_ADDRESS'] ?? '',
    });
    const order: string[] = [];
    let attempted = 0;
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const activities: Pick<UploadActivities, 'attemptUpload' | 'deleteObject'> = {
      attemptUpload: () => {
        attempted += 1;
        return Promise.resolve({ status: 'deleting', lookAgainAtMs: null });
      },
      deleteObject: async ({ accountId }) => {
        await opened;
        order.push(accountId);
        return { status: 'deleted', lookAgainAtMs: null };
      },
    };
    const worker = await Worker.create({
      connection,
      namespace: environment['TEMPORAL_NAMESPACE'] ?? '',
      taskQueue: 'uploads',
      workflowBundle: await loadWorkflowBundle(),
      activities,
      maxConcurrentActivityTaskExecutions: 1,
    });
    const running = worker.run();
    return {
      order,
      open,
      /** Workflows that have scheduled their activity, or are about to. */
      waiting: () => attempted,
      async stop() {
        open();
        worker.shutdown();
        await running;
        await connection.close();
      },
    };
  }
});
