import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { NO_KEYS } from '../../adapters/temporal/payload-codec.ts';
import { openTemporal, type Temporal } from '../../adapters/temporal/open.ts';
import { installQuietRuntime } from '../runtime.ts';
import { localServers } from '../servers.ts';
import { eventually } from '../harness/customer.ts';

type Version = 'before' | 'incompatible' | 'patched';

/** The example of docs/operations.md, "Upgrading with workflows under way", tried on a real server. */
describe('an upgrade with workflows under way', () => {
  const bundles = new Map<Version, WorkflowBundleWithSourceMap>();
  let temporal: Temporal;
  let client: Client;
  let connection: NativeConnection;
  const done: string[] = [];

  before(async () => {
    installQuietRuntime();
    const { stack } = await localServers();
    const address = stack.environment['TEMPORAL_ADDRESS'] ?? '';
    temporal = openTemporal(
      { address, namespace: 'default', payloadKeys: NO_KEYS },
      { current: () => undefined },
    );
    ({ client } = temporal);
    connection = await NativeConnection.connect({ address });
    for (const version of ['before', 'incompatible', 'patched'] as const) {
      const source = new URL(`upgrade/${version}.ts`, import.meta.url);
      bundles.set(
        version,
        await bundleWorkflowCode({
          workflowsPath: fileURLToPath(source),
          logger: new DefaultLogger('WARN'),
        }),
      );
    }
  });
  after(async () => {
    await connection?.close();
    await temporal?.close();
  });

  /** Serves the queue with one version of the workflow for as long as something lasts. */
  async function servedBy<T>(
    version: Version,
    taskQueue: string,
    work: () => Promise<T>,
  ): Promise<T> {
    const workflowBundle = bundles.get(version);
    assert.ok(workflowBundle);
    const note = (step: string) => async () => {
      done.push(step);
      return step;
    };
    const worker = await Worker.create({
      connection,
      taskQueue,
      workflowBundle,
      activities: { prepare: note('prepare'), carryOut: note('carryOut') },
    });
    return await worker.runUntil(work);
  }
  const begin = async (taskQueue: string) =>
    await client.workflow.start('work', { taskQueue, workflowId: `upgrade/${randomUUID()}` });
  const doneSteps = async (count: number) =>
    await eventually(`${count} steps are done`, async () => done.length >= count);

  it('continues on the old path with a patched change; without a patch it blocks and loses nothing', async () => {
    const taskQueue = `upgrade-${randomUUID()}`;
    const old = await servedBy('before', taskQueue, async () => {
      const started = await begin(taskQueue);
      await doneSteps(1);
      return started;
    });
    await servedBy('incompatible', taskQueue, async () => {
      await old.signal('go');
      await eventually('its task fails', async () => {
        const { events } = await old.fetchHistory();
        return (events ?? []).some(
          ({ workflowTaskFailedEventAttributes: failed }) =>
            failed?.failure?.message?.includes('TMPRL1100') ?? false,
        );
      });
    });
    assert.deepEqual(done, ['carryOut'], 'nothing is done twice, or in vain');
    assert.equal((await old.describe()).status.name, 'RUNNING');
    await servedBy('patched', taskQueue, async () => {
      assert.equal(await old.result(), 'carryOut');
      assert.deepEqual(done, ['carryOut', 'carryOut']);
      const fresh = await begin(taskQueue);
      await fresh.signal('go');
      await fresh.result();
      assert.deepEqual(done.slice(2), ['prepare', 'carryOut', 'carryOut']);
    });
  });
});
