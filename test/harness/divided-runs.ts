import assert from 'node:assert/strict';
import { openRecords, type Records } from '../../adapters/mongo/records.ts';
import { startService, type Service } from '../../dev/service.ts';
import { isSoon } from '../../dev/system/probes.ts';
import type { TaskQueue } from '../../messages/names.ts';
import { isolatedServers, startOwnStack } from '../servers.ts';
import { openTemporalClient } from './temporal.ts';

/** Enough for one round of slices: each run does little. */
export const EVENTS_PER_RUN = 12;

/** A service with one worker of a queue, whose workflows continue as new after a dozen events. */
export type DividedRuns = Awaited<ReturnType<typeof startDividedRuns>>;

export async function startDividedRuns(queue: TaskQueue) {
  const stack = await startOwnStack({ eventsPerRun: EVENTS_PER_RUN });
  const environment = {
    DEFAULT_PLAN: 'enterprise',
    PROVIDER_ENDPOINT_B2: stack.cloud?.s3Endpoint ?? '',
    WORKER_QUEUES: queue,
  };
  const { MONGODB_URI: uri = '', MONGODB_DATABASE = '' } = stack.environment;
  const service = await startService(stack, { environment });
  const [worker = assert.fail()] = service.workers;
  const temporal = await openTemporalClient(stack);
  const opened: Records[] = [];
  const others: Service[] = [];

  const runIdOf = async (workflowId: string) =>
    (await temporal.workflow.getHandle(workflowId).describe()).runId;
  /** Waits for the run after this one, and returns its id. */
  async function untilRun(workflowId: string, after: string): Promise<string> {
    let runId = after;
    const isNext = async () => (runId = await runIdOf(workflowId)) !== after;
    assert.ok(await isSoon(isNext, { withinMs: 60_000, everyMs: 20 }));
    return runId;
  }

  const given = { stack, service, temporal, untilRun };
  return {
    ...given,
    openRecords(database = MONGODB_DATABASE) {
      const records = openRecords({ uri, database });
      opened.push(records);
      return records;
    },
    /** A service on the same servers, but with a Temporal server of the usual limits. */
    async startUndivided(database = MONGODB_DATABASE) {
      const { TEMPORAL_ADDRESS = '', TEMPORAL_NAMESPACE = '' } = (await isolatedServers())
        .environment;
      const own = { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, MONGODB_DATABASE: database };
      const servers = { ...stack, environment: { ...stack.environment, ...own } };
      const other = await startService(servers, { environment });
      others.push(other);
      return other;
    },
    /** Kills the worker so many times, each time when a run has begun. */
    async killBetweenRuns(workflowId: string, times: number) {
      let runId = await runIdOf(workflowId);
      for (let kill = 0; kill < times; kill += 1) {
        runId = await untilRun(workflowId, runId);
        await worker.kill('SIGKILL');
        await worker.restart();
      }
    },
    async stop() {
      await temporal.connection.close();
      await Promise.all(opened.map((records) => records.close()));
      await Promise.all([service, ...others].map((each) => each.stop()));
      await stack.stop();
    },
  };
}
