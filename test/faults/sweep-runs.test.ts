import assert from 'node:assert/strict';
import type { Client } from '@temporalio/client';
import { startService, type Service } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { isSoon } from '../../dev/system/probes.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { fetchRuns, runsWith, withoutSummary } from '../harness/workflow-runs.ts';
import { startOwnStack } from '../servers.ts';

/** One sweep and its wait take about that many. */
const EVENTS_PER_RUN = 9;
const SWEEPS = ['sweep-uploads', 'sweep-scans', 'sweep-migrations'] as const;

describe('a sweep', function () {
  this.timeout(360_000);
  let stack: Stack;
  let service: Service;
  let temporal: Client;
  before(async () => {
    stack = await startOwnStack({ eventsPerRun: EVENTS_PER_RUN });
    service = await startService(stack);
    temporal = await openTemporalClient(stack);
  });
  after(async () => {
    await temporal?.connection.close();
    await service?.stop();
    await stack?.stop();
  });

  const listed = async (scheduleId: string, status = '') => {
    const found: { workflowId: string; runId: string }[] = [];
    const query = `TemporalScheduledById = "${scheduleId}"${status}`;
    for await (const { workflowId, runId } of temporal.workflow.list({ query }))
      found.push({ workflowId, runId });
    return found;
  };
  const open = (scheduleId: string) => listed(scheduleId, ' AND ExecutionStatus = "Running"');

  it('is one workflow, over all its runs', async () => {
    const runsOf = async (scheduleId: string) => {
      const [first] = await listed(scheduleId);
      return first ? await fetchRuns(temporal, first.workflowId) : [];
    };
    const hasContinued = async (scheduleId: string) => (await runsOf(scheduleId)).length >= 2;
    for (const scheduleId of SWEEPS) {
      // The second run begins after a minute, when the schedule would have started another workflow.
      assert.ok(
        await isSoon(() => hasContinued(scheduleId), { withinMs: 300_000, everyMs: 2_000 }),
      );
      const workflowIds = new Set((await listed(scheduleId)).map(({ workflowId }) => workflowId));
      assert.equal(workflowIds.size, 1, [...workflowIds].join(', '));
      const runs = await runsOf(scheduleId);
      assert.ok(runs.length <= 8, `${runs.length} runs`);
      assert.equal((await open(scheduleId)).length, 1);
      assert.ok(runs.length - runsWith(runs, activityOf(scheduleId)) <= 1);
      assert.deepEqual(
        runs.flatMap(({ history }) => withoutSummary(history)),
        [],
      );
    }
  });

  it('is started again where its run was ended', async () => {
    const before = await Promise.all(SWEEPS.map(open));
    for (const { workflowId } of before.flat())
      await temporal.workflow.getHandle(workflowId).terminate('tried');
    const areBack = async () => {
      const now = await Promise.all(SWEEPS.map(open));
      return now.every((runs) => runs.length === 1);
    };
    assert.ok(await isSoon(areBack, { withinMs: 75_000, everyMs: 1_000 }));
  });

  it('says in its details what the latest one has found', async () => {
    for (const [run] of await Promise.all(SWEEPS.map(open))) {
      const detailsOf = async () => {
        const shown = await temporal.workflow
          .getHandle(run?.workflowId ?? '')
          .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
        return shown.currentDetails ?? '';
      };
      const isShown = async () =>
        /^The sweep of \d{4}-\S+Z: nothing was due\.$/.test(await detailsOf());
      assert.ok(await isSoon(isShown, { withinMs: 20_000 }), await detailsOf());
    }
  });
});

/** `sweep-uploads` runs `sweepUploads`. */
function activityOf(scheduleId: string): string {
  return scheduleId.replace(/-(\w)/, (_dash, letter: string) => letter.toUpperCase());
}
