import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

/** What one life leaves in Temporal, over all runs of its workflow. */
export interface LifeCost {
  readonly runs: number;
  readonly events: number;
  readonly actions: number;
  /** The number of actions by kind. */
  readonly kinds: ReadonlyMap<string, number>;
}

/** A patch that a run took; no local activity. */
const PATCH_MARKER = 'core_patch';

type Event = temporal.api.history.v1.IHistoryEvent;

/** The attributes by which an event of one action is known. */
const ONE_ACTION: readonly (readonly [keyof Event, kind: string])[] = [
  ['workflowExecutionStartedEventAttributes', 'start'],
  ['workflowExecutionSignaledEventAttributes', 'signal'],
  ['workflowExecutionUpdateAcceptedEventAttributes', 'update'],
  ['workflowExecutionOptionsUpdatedEventAttributes', 'options'],
  ['activityTaskScheduledEventAttributes', 'activity'],
  ['timerStartedEventAttributes', 'timer'],
  ['upsertWorkflowSearchAttributesEventAttributes', 'upsert'],
];

/** Reads the histories of all runs of a workflow. */
export async function readLife(
  client: Pick<Client, 'workflow'>,
  workflowId: string,
): Promise<LifeCost> {
  const events: Event[][] = [];
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    events.push(history.events ?? []);
  }
  const counted = events.flatMap(actionsOf);
  const kinds = new Map<string, number>();
  for (const [kind, count] of counted) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  return {
    runs: events.length,
    events: events.reduce((sum, run) => sum + run.length, 0),
    actions: counted.reduce((sum, [, count]) => sum + count, 0),
    kinds,
  };
}

/**
 * The billable actions of one run, as Temporal Cloud counts them
 * (https://docs.temporal.io/cloud/actions, with the type of event of each):
 * a start, a signal, an accepted update, a changed option, a timer, and an upsert of search attributes
 * are one each; an activity is one, and one more per retry; all local activities of one workflow task
 * are one together (their markers), and their retries within a task heartbeat are one each.
 * Search attributes of a start are free, as are workflow tasks and completions.
 *
 * Two differences: a signal-with-start that starts is one action there and two here, because its
 * history equals that of a start and a later signal; and what leaves no event (heartbeats, queries,
 * rejected updates) is not counted. A namespace with fairness pays 0.1 more per action.
 */
function actionsOf(events: readonly Event[]): [kind: string, count: number][] {
  const markedTasks = new Set<string>();
  return events.flatMap((event): [string, number][] => {
    const {
      activityTaskStartedEventAttributes: activity,
      markerRecordedEventAttributes: marker,
      workflowTaskCompletedEventAttributes: task,
    } = event;
    if (activity) return [['activity retry', (activity.attempt ?? 1) - 1]];
    if (task)
      return [['local retry', task.meteringMetadata?.nonfirstLocalActivityExecutionAttempts ?? 0]];
    if (marker) {
      if (marker.markerName === PATCH_MARKER) return [];
      const taskId = String(marker.workflowTaskCompletedEventId);
      if (markedTasks.has(taskId)) return [];
      markedTasks.add(taskId);
      return [['local activities', 1]];
    }
    return ONE_ACTION.filter(([attributes]) => event[attributes]).map(([, kind]) => [kind, 1]);
  });
}
