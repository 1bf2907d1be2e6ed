import { AsyncLocalStorage } from 'node:async_hooks';

/** The request that the current work belongs to, across asynchronous calls. */
export interface RequestScope {
  run<T>(requestId: string, work: () => T): T;
  /** Undefined outside a request, such as in a schedule's work. */
  current(): string | undefined;
}

export function createRequestScope(): RequestScope {
  const storage = new AsyncLocalStorage<string>();
  return {
    run: (requestId, work) => storage.run(requestId, work),
    current: () => storage.getStore(),
  };
}
