import {
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleAll,
  type CircuitBreakerPolicy,
} from 'cockatiel';
import { LRUCache } from 'lru-cache';
import { StoreSuspendedError, type StoreGuard } from '../activities/common/store-guard.ts';
import { raceTimeout } from '../adapters/deadline.ts';
import { INTERVALS } from '../domain/common/intervals.ts';
import { StoreError, type StoreFailure } from '../adapters/object-store/errors.ts';

interface StoreState {
  readonly breaker: CircuitBreakerPolicy;
  hasAnswered: boolean;
  underWay: number;
}

const SILENCES = 5;
/** All attempts of an object at a silent store, and the check of the store, end earlier. */
const LONGEST_SILENCE_MS = 180_000;
/** A store that is evicted counts as one without an answer. */
const MAX_ACCOUNTS = 10_000;
const SILENT: ReadonlySet<StoreFailure> = new Set(['timed_out', 'unreachable']);

/** @param maxUnanswered how much work may wait at an account's stores that are not known to answer */
export function createStoreGuard(maxUnanswered: number): StoreGuard {
  const accounts = new LRUCache<string, Map<string, StoreState>>({ max: MAX_ACCOUNTS });

  return async ({ accountId, store: name }, work, findFailure = () => undefined) => {
    const stores = accounts.get(accountId) ?? new Map<string, StoreState>();
    accounts.set(accountId, stores);
    const store = stores.get(name) ?? openStore();
    stores.set(name, store);
    const isFull = !store.hasAnswered && countUnanswered(stores) >= maxUnanswered;
    // The breaker would let others wait for its one attempt.
    if (isFull || store.breaker.state === CircuitState.HalfOpen) throw new StoreSuspendedError();
    store.underWay += 1;
    try {
      return await run(store, work, findFailure);
    } finally {
      store.underWay -= 1;
    }
  };
}

function openStore(): StoreState {
  const halfOpenAfter = new ExponentialBackoff({
    initialDelay: INTERVALS.firstSuspensionMs,
    maxDelay: INTERVALS.maxSuspensionMs,
  });
  const breaker = circuitBreaker(handleAll, {
    breaker: new ConsecutiveBreaker(SILENCES),
    halfOpenAfter,
  });
  return { breaker, hasAnswered: false, underWay: 0 };
}

/** The work under way at an account's stores that are not known to answer. */
function countUnanswered(stores: ReadonlyMap<string, StoreState>): number {
  let count = 0;
  for (const { hasAnswered, underWay } of stores.values()) if (!hasAnswered) count += underWay;
  return count;
}

/** To the breaker only silence is an error; work that takes long has been answered. */
async function run<Result>(
  store: StoreState,
  work: () => Promise<Result>,
  findFailure: (result: Result) => unknown,
): Promise<Result> {
  let working: Promise<Result> | undefined;
  const observed = async (): Promise<void> => {
    working = work();
    const failure = await raceTimeout(
      LONGEST_SILENCE_MS,
      working,
      () => new LastingWorkError(),
    ).then(findFailure, (error: unknown) => error);
    store.hasAnswered = !isSilence(failure);
    if (!store.hasAnswered) throw failure;
  };
  await store.breaker.execute(observed).catch(() => undefined);
  if (!working) throw new StoreSuspendedError();
  return await working;
}

class LastingWorkError extends Error {}

function isSilence(failure: unknown): boolean {
  if (failure instanceof StoreError) return SILENT.has(failure.failure);
  return failure instanceof Error && failure.cause !== undefined && isSilence(failure.cause);
}
