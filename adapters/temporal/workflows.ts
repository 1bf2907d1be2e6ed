import { createHash } from 'node:crypto';
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { Priority, QueryDefinition, SignalDefinition, Workflow } from '@temporalio/common';
import { AppError } from '../../domain/common/errors.ts';
import { INTERVALS } from '../../domain/common/intervals.ts';
import { SEARCH_ATTRIBUTES, type TaskQueue } from '../../messages/names.ts';
import { NO_DEADLINE, raceTimeout, type Deadline } from '../deadline.ts';
import { createSearchAttributeUse } from './search-attributes.ts';

/** The start of a workflow, as operators see it. */
export interface WorkflowStart<Run extends Workflow> {
  readonly type: string;
  readonly taskQueue: TaskQueue;
  readonly workflowId: string;
  readonly input: Parameters<Run>[0];
  /** Whose work it is: a task queue is shared fairly between accounts. */
  readonly accountId: string;
  readonly kind: 'upload' | 'scan' | 'migration' | 'release' | 'relocation' | 'drill' | 'webhook';
  readonly phase?: string;
  readonly provider?: string | null;
  readonly summary: string;
  /** For a delayed run, which has no current details. */
  readonly details?: string;
  readonly memo?: Record<string, unknown>;
}

/** What a start does about an earlier or an open run, and when it begins. */
type StartPolicy = Pick<
  WorkflowStartOptions,
  'workflowIdReusePolicy' | 'workflowIdConflictPolicy' | 'startDelay'
>;

/**
 * Bounds a call to the server by a time-out and by the request's deadline. After the deadline no
 * call begins.
 *
 * @throws AppError `unavailable`
 */
export type Bounded = <T>(timeoutMs: number, call: () => Promise<T>) => Promise<T>;

/** The client's deadline bounds each attempt but not the pauses between them, so both are set. */
export function createBounded(client: Client, deadline: Deadline = NO_DEADLINE): Bounded {
  return async (timeoutMs, call) => {
    const ms = Math.min(timeoutMs, deadline.remainingMs());
    if (ms <= 0) throw new AppError('unavailable');
    const bounded = client.withDeadline(Date.now() + ms, call);
    return await raceTimeout(ms, bounded, () => new AppError('unavailable'));
  };
}

const CALL_TIMEOUT_MS = 5_000;
/** A running worker answers within milliseconds; without one the stored state is shown. */
const QUERY_TIMEOUT_MS = 700;

/** Starts, signals, queries and ends workflows; each call is bounded. One per process. */
export class Workflows {
  readonly #client: Client;
  readonly #within: Bounded;
  readonly #attributes = createSearchAttributeUse(() => performance.now());

  constructor(client: Client, deadline?: Deadline) {
    this.#client = client;
    this.#within = createBounded(client, deadline);
  }

  /** @returns whether it was started: false if one is open, or the policy allows no other. */
  start<Run extends Workflow>(
    start: WorkflowStart<Run>,
    policy: StartPolicy = {},
  ): Promise<boolean> {
    return this.#begin(start, (options) =>
      this.#client.workflow.start(start.type, {
        workflowIdConflictPolicy: 'FAIL',
        ...options,
        ...policy,
      }),
    );
  }

  /** Signals the open run, also a delayed one; starts one if none is open and it is allowed. */
  async signal<Run extends Workflow>(
    start: WorkflowStart<Run>,
    signal: SignalDefinition,
    policy: StartPolicy = {},
  ): Promise<void> {
    await this.#begin(start, (options) =>
      this.#client.workflow.signalWithStart(start.type, { ...options, ...policy, signal }),
    );
  }

  /** The answer of the open run; undefined if no worker answers: the stored state counts then. */
  async query<Answer, Args extends [string] | []>(
    workflowId: string,
    query: QueryDefinition<Answer | null, Args>,
    ...args: Args
  ): Promise<Answer | undefined> {
    try {
      const answer = await this.#within(QUERY_TIMEOUT_MS, () =>
        this.#client.workflow.getHandle(workflowId).query(query, ...args),
      );
      return answer ?? undefined;
    } catch {
      return undefined;
    }
  }

  /** The latest run; undefined if there is none. */
  describe(workflowId: string): Promise<WorkflowExecutionDescription | undefined> {
    return this.#ifThere(workflowId, (handle) => handle.describe());
  }

  /** Whether no run is open, and none was for some seconds: no activity of one still runs. */
  async isLost(workflowId: string, now: Date): Promise<boolean> {
    const latest = await this.describe(workflowId);
    if (!latest) return true;
    const { closeTime } = latest;
    return (
      closeTime !== undefined && now.getTime() - closeTime.getTime() > INTERVALS.activitiesEndMs
    );
  }

  async cancel(workflowId: string): Promise<void> {
    await this.#ifThere(workflowId, (handle) => handle.cancel());
  }

  async terminate(run: { workflowId: string; runId: string }, reason: string): Promise<void> {
    await this.#ifThere(run.workflowId, (handle) => handle.terminate(reason), run.runId);
  }

  async #ifThere<T>(
    workflowId: string,
    call: (handle: WorkflowHandle) => Promise<T>,
    runId?: string,
  ): Promise<T | undefined> {
    try {
      const handle = this.#client.workflow.getHandle(workflowId, runId);
      return await this.#within(CALL_TIMEOUT_MS, () => call(handle));
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }

  async #begin(
    start: WorkflowStart<Workflow>,
    call: (options: WorkflowStartOptions) => Promise<unknown>,
  ): Promise<boolean> {
    try {
      await this.#attributes.use((withAttributes) =>
        this.#within(CALL_TIMEOUT_MS, () => call(toOptions(start, withAttributes))),
      );
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw error;
    }
  }
}

function toOptions(start: WorkflowStart<Workflow>, withAttributes: boolean): WorkflowStartOptions {
  const { taskQueue, workflowId, input, accountId, summary, details, memo } = start;
  return {
    taskQueue,
    workflowId,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    args: [input],
    priority: priorityFor(accountId),
    staticSummary: summary,
    ...(details === undefined ? {} : { staticDetails: details }),
    ...(memo === undefined ? {} : { memo }),
    ...(withAttributes ? { typedSearchAttributes: toAttributes(start) } : {}),
  };
}

function toAttributes({ accountId, kind, phase, provider }: WorkflowStart<Workflow>) {
  return [
    { key: SEARCH_ATTRIBUTES.accountId, value: accountId },
    { key: SEARCH_ATTRIBUTES.kind, value: kind },
    ...(phase === undefined ? [] : [{ key: SEARCH_ATTRIBUTES.phase, value: phase }]),
    ...(provider ? [{ key: SEARCH_ATTRIBUTES.provider, value: provider }] : []),
  ];
}

/** The server's limit. */
const MAX_KEY_BYTES = 64;

/**
 * The share of a task queue is divided between accounts. A workflow's activities inherit its
 * priority. An account id comes from the identity provider and may be longer than a key; its hash
 * is not.
 */
function priorityFor(accountId: string): Priority {
  const isShort = Buffer.byteLength(accountId) <= MAX_KEY_BYTES;
  const hashed = () => createHash('sha256').update(accountId).digest('hex');
  return { fairnessKey: isShort ? accountId : hashed() };
}
