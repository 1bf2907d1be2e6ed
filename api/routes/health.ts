import { AppError } from '../../domain/errors.ts';
import { defineRoute, type Route } from '../route.ts';
import { HealthView } from '../schemas.ts';

const VERSION = '0.1';
const ARCHITECTURE = '2.0';
/** A dependency that takes longer is as good as away. */
const PROBE_TIMEOUT_MS = 1_000;

export interface HealthRoutesDeps {
  readonly mongodb: { ping(): Promise<void> };
  readonly temporal: { ping(): Promise<void> };
}

export function createHealthRoutes({ mongodb, temporal }: HealthRoutesDeps): Route[] {
  async function look() {
    const [mongo, flow] = await Promise.all([probe(mongodb.ping), probe(temporal.ping)]);
    const dependencies = { mongodb: mongo, temporal: flow };
    const ok = mongo === 'up' && flow === 'up';
    return {
      status: ok ? 'ok' : 'degraded',
      version: VERSION,
      architecture: ARCHITECTURE,
      dependencies,
    };
  }

  return [
    defineRoute({
      method: 'GET',
      path: '/health',
      auth: 'none',
      summary: 'Alive, and what it can reach',
      replies: { 200: HealthView },
      refusals: [],
      handle: async () => ({ status: 200, body: await look() }),
    }),

    defineRoute({
      method: 'GET',
      path: '/ready',
      auth: 'none',
      summary: 'Whether it can serve',
      replies: { 200: HealthView },
      refusals: ['unavailable'],
      async handle() {
        const health = await look();
        if (health.status !== 'ok') throw new AppError('unavailable');
        return { status: 200, body: health };
      },
    }),
  ];
}

async function probe(ping: () => Promise<void>): Promise<'up' | 'down'> {
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
