import {
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleAll,
  type CircuitBreakerPolicy,
} from 'cockatiel';
import { LRUCache } from 'lru-cache';
import { StoreError, type StoreFailure } from '../adapters/object-store/errors.ts';

/** The store did not answer other work of late, so this work is not begun. */
export class StoreSuspendedError extends StoreError {
  constructor() {
    super('timed_out', new Error('the store is suspended'));
  }
}

export interface StoreGuardOptions {
  /** How much work may wait at a store of which no answer is known, or none since its last silence. */
  readonly maxUnanswered: number;
}

/**
 * Runs work at a store, named by its account and provider, unless the store is suspended. `failureOf`
 * gives the failure that a result contains.
 *
 * | the store                                     | work                                                  |
 * | --------------------------------------------- | ----------------------------------------------------- |
 * | answered last                                 | begins                                                |
 * | no answer yet, or silent the last time        | begins while less than `maxUnanswered` is under way   |
 * | silent 5 times in a row                       | none begins for 5 s, then one; 10 s, 20 s … 60 s      |
 *
 * A refusal is an answer. Silence is a time-out or a failure to connect.
 *
 * @throws StoreSuspendedError where the work is not begun; and what the work throws
 */
export type StoreGuard = <Result>(
  store: string,
  work: () => Promise<Result>,
  failureOf?: (result: Result) => unknown,
) => Promise<Result>;

interface GuardedStore {
  readonly breaker: CircuitBreakerPolicy;
  hasAnswered: boolean;
  underWay: number;
}

const SILENCES = 5;
const FIRST_SUSPENSION_MS = 5_000;
const MAX_SUSPENSION_MS = 60_000;
/** A store that is not remembered counts as one without an answer. */
const MAX_STORES = 10_000;
const SILENT: ReadonlySet<StoreFailure> = new Set(['timed_out', 'unreachable']);

export function createStoreGuard({ maxUnanswered }: StoreGuardOptions): StoreGuard {
  const stores = new LRUCache<string, GuardedStore>({ max: MAX_STORES });

  function find(name: string): GuardedStore {
    const known = stores.get(name);
    if (known) return known;
    const store = { breaker: createBreaker(), hasAnswered: false, underWay: 0 };
    stores.set(name, store);
    return store;
  }

  return async (name, work, failureOf = () => undefined) => {
    const store = find(name);
    const isFull = !store.hasAnswered && store.underWay >= maxUnanswered;
    // The breaker would let others wait for its one attempt.
    if (isFull || store.breaker.state === CircuitState.HalfOpen) throw new StoreSuspendedError();
    store.underWay += 1;
    try {
      return await observe(store, work, failureOf);
    } finally {
      store.underWay -= 1;
    }
  };
}

function createBreaker(): CircuitBreakerPolicy {
  return circuitBreaker(handleAll, {
    breaker: new ConsecutiveBreaker(SILENCES),
    halfOpenAfter: new ExponentialBackoff({
      initialDelay: FIRST_SUSPENSION_MS,
      maxDelay: MAX_SUSPENSION_MS,
    }),
  });
}

/** To the breaker, only silence is an error. */
async function observe<Result>(
  store: GuardedStore,
  work: () => Promise<Result>,
  failureOf: (result: Result) => unknown,
): Promise<Result> {
  let outcome: PromiseSettledResult<Result> | undefined;
  const attempt = async (): Promise<void> => {
    [outcome] = await Promise.allSettled([work()]);
    const failure: unknown =
      outcome.status === 'rejected' ? outcome.reason : failureOf(outcome.value);
    store.hasAnswered = !isSilence(failure);
    if (!store.hasAnswered) throw failure;
  };
  await store.breaker.execute(attempt).catch(() => undefined);
  if (!outcome) throw new StoreSuspendedError();
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

function isSilence(failure: unknown): boolean {
  if (failure instanceof StoreError) return SILENT.has(failure.failure);
  return failure instanceof Error && failure.cause !== undefined && isSilence(failure.cause);
}
