import { AsyncLocalStorage } from 'node:async_hooks';

/** Which request a piece of work is done for, however deep in it and however long after. */
export interface RequestScope {
  run<T>(requestId: string, work: () => T): T;
  /** Undefined for what nobody asked for, such as a schedule's work. */
  current(): string | undefined;
}

export function createRequestScope(): RequestScope {
  const storage = new AsyncLocalStorage<string>();
  return {
    run: (requestId, work) => storage.run(requestId, work),
    current: () => storage.getStore(),
  };
}
