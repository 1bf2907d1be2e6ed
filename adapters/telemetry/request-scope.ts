import { AsyncLocalStorage } from 'node:async_hooks';
import type { Deadline } from '../deadline.ts';

/** The request that the current work belongs to, across asynchronous calls, and its deadline. */
export interface RequestScope extends Deadline {
  run<T>(requestId: string, work: () => T): T;
  /** Undefined outside a request, such as in a schedule's work. */
  current(): string | undefined;
  /** Sets the deadline of the current request, from now on. An activity has none. */
  answerWithin(ms: number): void;
}

export function createRequestScope(): RequestScope {
  const storage = new AsyncLocalStorage<{ readonly requestId: string; deadlineMs: number }>();
  return {
    run: (requestId, work) =>
      storage.run({ requestId, deadlineMs: Number.POSITIVE_INFINITY }, work),
    current: () => storage.getStore()?.requestId,
    answerWithin(ms) {
      const request = storage.getStore();
      if (request) request.deadlineMs = performance.now() + ms;
    },
    remainingMs: () =>
      Math.floor((storage.getStore()?.deadlineMs ?? Number.POSITIVE_INFINITY) - performance.now()),
  };
}
