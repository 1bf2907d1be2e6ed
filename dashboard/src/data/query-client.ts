import { StorageRoutingError } from '@storage-routing/client';
import { QueryClient } from '@tanstack/react-query';

const MAX_RETRIES = 3;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** The service says the end of its minute; a proxy may say nothing. */
const RATE_LIMIT_WAIT_MS = 60_000;
const RUNNING_POLL_MS = 2_000;
const IDLE_POLL_MS = 30_000;
/** A tab makes at most one request a second in sum. */
const MS_PER_ACTIVE_QUERY = 1_000;

export function isRateLimited(error: unknown): error is StorageRoutingError {
  return error instanceof StorageRoutingError && error.status === 429;
}

/** Data stays on the page while it is fetched again; a hidden tab fetches nothing. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: MS_PER_ACTIVE_QUERY,
        retry: (count, error) =>
          isRateLimited(error) || (count < MAX_RETRIES && isTransient(error)),
        retryDelay: (count, error) => waitBefore(count, error),
        refetchInterval: IDLE_POLL_MS,
        refetchIntervalInBackground: false,
      },
      mutations: { networkMode: 'always' },
    },
  });
}

/**
 * The interval of a query: short while `isRunning` says so of its data, long otherwise. Several
 * queries of a view share the requests that a tab may make.
 */
export function pollEvery<T>(
  client: QueryClient,
  isRunning: (data: T) => boolean,
): (query: { readonly state: { readonly data: T | undefined } }) => number {
  return ({ state: { data } }) => {
    const active = client.getQueryCache().findAll({ type: 'active' }).length;
    const usual = data !== undefined && isRunning(data) ? RUNNING_POLL_MS : IDLE_POLL_MS;
    return Math.max(usual, active * MS_PER_ACTIVE_QUERY);
  };
}

function isTransient(error: unknown): boolean {
  if (!(error instanceof StorageRoutingError)) return false;
  const { status, code } = error;
  if (status !== undefined) return status === 503 || status === 504;
  return code === 'connection_failed' || code === 'connection_lost' || code === 'timeout';
}

function waitBefore(count: number, error: unknown): number {
  if (isRateLimited(error)) return error.retryAfterMs ?? RATE_LIMIT_WAIT_MS;
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** count);
}
