import {
  drillWorkflowId,
  migrationWorkflowId,
  relocationWorkflowId,
  scanWorkflowId,
} from '../../../messages/names.ts';
import { areRunning, violationOf, type Evidence, type Violation } from './invariant.ts';

interface StoredScan {
  readonly _id: string;
  readonly accountId: string;
  readonly connectionId: string;
  readonly status: string;
}

interface StoredMove {
  readonly _id: string;
  readonly accountId: string;
  readonly kind: string;
  readonly status: string;
  readonly hasWorkflow?: true;
}

interface StoredRun {
  readonly _id: string;
  readonly accountId: string;
}

/**
 * `runs`: an unfinished scan, a recommended move that is open, an approved one without an end, and a
 * relocation or a drill with work left have a workflow.
 */
export async function checkRuns({ db, temporal, leftOut }: Evidence): Promise<Violation[]> {
  const scans = await db.collection<StoredScan>('scans').find().toArray();
  const moves = await db.collection<StoredMove>('recommendations').find().toArray();
  const unended = async (name: string, toWorkflowId: (id: string) => string) => {
    const filter = { nextAttemptAt: { $exists: true } };
    const runs = await db.collection<StoredRun>(name).find(filter).toArray();
    return runs.map(({ accountId, _id }) => ({ accountId, workflowId: toWorkflowId(_id) }));
  };
  const expected = [
    ...(await unended('relocations', relocationWorkflowId)),
    ...(await unended('drills', drillWorkflowId)),
    ...scans
      .filter(({ status }) => status === 'queued' || status === 'running')
      .map(({ accountId, connectionId }) => ({
        accountId,
        workflowId: scanWorkflowId(connectionId),
      })),
    ...moves
      .filter(({ kind, hasWorkflow }) => kind === 'move' && hasWorkflow === true)
      .filter(({ status }) => status === 'open' || status === 'approved')
      .map(({ accountId, _id }) => ({ accountId, workflowId: migrationWorkflowId(_id) })),
  ].filter(({ accountId }) => !leftOut.has(accountId));
  const isRunning = await areRunning(
    temporal,
    expected.map(({ workflowId }) => workflowId),
  );
  return violationOf(
    'runs',
    expected.filter((_, index) => isRunning[index] !== true).map(({ workflowId }) => workflowId),
  );
}
