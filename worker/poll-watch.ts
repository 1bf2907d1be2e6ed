import type { OperatorAnswer } from '../adapters/telemetry/operator-server.ts';

/**
 * The queues of which no poll for workflow tasks has been answered for three minutes while Temporal
 * was reachable. Temporal answers each within a minute, with or without a task.
 */
export type PollWatch = (isReachable: boolean) => Promise<ReadonlySet<string>>;

interface Answered {
  readonly polls: number;
  readonly sinceMs: number;
}

const LATE_MS = 3 * 60_000;
/** Each poll has a latency, those that failed too. */
const ENDED = 'temporal_long_request_latency_count';
const FAILED = 'temporal_long_request_failure';
const SAMPLE = /^(\w+)\{([^}]*)\} (\d+)/;
const QUEUE = /task_queue="([^"]*)"/;

/** @param readMetrics in the text format of Prometheus */
export function createPollWatch(
  readMetrics: () => Promise<OperatorAnswer>,
  nowMs: () => number,
): PollWatch {
  const answered = new Map<string, Answered>();
  return async (isReachable) => {
    const { body } = await readMetrics().catch(() => ({ body: '' }));
    const hung = new Set<string>();
    for (const [queue, polls] of answeredPolls(body)) {
      const last = answered.get(queue);
      if (!isReachable || last?.polls !== polls) answered.set(queue, { polls, sinceMs: nowMs() });
      else if (nowMs() - last.sinceMs > LATE_MS) hung.add(queue);
    }
    return hung;
  };
}

function answeredPolls(metrics: string): ReadonlyMap<string, number> {
  const polls = new Map<string, number>();
  for (const line of metrics.split('\n')) {
    const [, name = '', labels = '', value] = SAMPLE.exec(line) ?? [];
    const queue = QUEUE.exec(labels)?.[1];
    if (queue === undefined || !labels.includes('operation="PollWorkflowTaskQueue"')) continue;
    const sign = name === ENDED ? 1 : name === FAILED ? -1 : 0;
    polls.set(queue, (polls.get(queue) ?? 0) + sign * Number(value));
  }
  return polls;
}
