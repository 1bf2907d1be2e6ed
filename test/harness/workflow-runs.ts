import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

export type History = temporal.api.history.v1.IHistory;

/** One run of a workflow that continued as new. */
export interface WorkflowRun {
  readonly runId: string;
  readonly history: History;
  /** The types of its activities, in the order of their schedules. */
  readonly activities: readonly string[];
}

/** All runs of a workflow's last execution chain, the first run first. */
export async function fetchRuns(client: Client, workflowId: string): Promise<WorkflowRun[]> {
  const runs: WorkflowRun[] = [];
  let { runId } = await client.workflow.getHandle(workflowId).describe();
  for (;;) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    runs.unshift({ runId, history, activities: activitiesOf(history) });
    const previous =
      history.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
    if (!previous) return runs;
    runId = previous;
  }
}

/** How many of the runs have scheduled an activity. */
export function runsWith(runs: readonly WorkflowRun[], activity: string): number {
  return runs.filter(({ activities }) => activities.includes(activity)).length;
}

/** The types of the scheduled activities that say nothing of themselves in Temporal UI. */
export function withoutSummary({ events }: History): string[] {
  return (events ?? []).flatMap(({ activityTaskScheduledEventAttributes, userMetadata }) => {
    const name = activityTaskScheduledEventAttributes?.activityType?.name;
    return name && !userMetadata?.summary ? [name] : [];
  });
}

function activitiesOf({ events }: History): string[] {
  return (events ?? []).flatMap((event) => {
    const name = event.activityTaskScheduledEventAttributes?.activityType?.name;
    return name ? [name] : [];
  });
}
