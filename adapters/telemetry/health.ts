import { raceTimeout } from '../deadline.ts';
import { retryTransient } from '../retry.ts';
import type { Logger } from './logger.ts';

export interface HealthDeps {
  readonly mongodb: { ping(): Promise<void> };
  readonly temporal: { ping(): Promise<void> };
}

type DependencyState = 'up' | 'down';

export interface Health {
  readonly status: 'ok' | 'degraded';
  readonly dependencies: Readonly<Record<'mongodb' | 'temporal', DependencyState>>;
}

/** A dependency that answers later counts as down. */
const PROBE_TIMEOUT_MS = 1_000;
/** All callers within this time share one check of the dependencies. */
const SHARED_MS = 1_000;

/** Returns the health of the service, from a check that began at most a second ago. */
export function createHealthCheck(
  deps: HealthDeps,
  monotonicMs: () => number,
): () => Promise<Health> {
  let last: { readonly startedAt: number; readonly health: Promise<Health> } | undefined;
  return () => {
    const startedAt = monotonicMs();
    if (!last || startedAt - last.startedAt >= SHARED_MS)
      last = { startedAt, health: checkHealth(deps) };
    return last.health;
  };
}

async function checkHealth({ mongodb, temporal }: HealthDeps): Promise<Health> {
  const [mongo, flow] = await Promise.all([probe(mongodb.ping), probe(temporal.ping)]);
  const isUp = mongo === 'up' && flow === 'up';
  return { status: isUp ? 'ok' : 'degraded', dependencies: { mongodb: mongo, temporal: flow } };
}

async function probe(ping: () => Promise<void>): Promise<DependencyState> {
  const late = () => new Error('the dependency did not answer');
  return raceTimeout(PROBE_TIMEOUT_MS, ping(), late).then(
    () => 'up',
    () => 'down',
  );
}

const START_PAUSE_MS = 2_000;
const LOGGED_EVERY_MS = 60_000;

/** Repeats a start-up step until its dependency is available; logs that once a minute. */
export function retryUntilReady<T>(what: string, log: Logger, work: () => Promise<T>): Promise<T> {
  let loggedAt = Number.NEGATIVE_INFINITY;
  const logFailure = (err: unknown): true => {
    if (performance.now() - loggedAt < LOGGED_EVERY_MS) return true;
    loggedAt = performance.now();
    log.warn({ err }, `cannot ${what} yet`);
    return true;
  };
  return retryTransient(
    { attempts: Number.POSITIVE_INFINITY, delayMs: () => START_PAUSE_MS, isTransient: logFailure },
    work,
  );
}
