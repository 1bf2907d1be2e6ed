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
/** All callers within this time share one look at the dependencies. */
const SHARED_MS = 1_000;

/** Gives the health of the service, from a look that is at most a second old when it ends. */
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
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'down'>((resolve) => {
    timer = setTimeout(() => resolve('down'), PROBE_TIMEOUT_MS);
  });
  const answer = ping().then(
    () => 'up' as const,
    () => 'down' as const,
  );
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
