import {
  type Health,
  createHealthCheck,
  type HealthDeps,
} from '../../adapters/telemetry/health.ts';
import type { ClockSkew, StoreClocks } from '../../adapters/object-store/store-clocks.ts';
import { AppError } from '../../domain/common/errors.ts';
import { defineRoute, type Route, type View } from './route.ts';
import { HealthView } from './schemas.ts';

const VERSION = '0.1';
const ARCHITECTURE = '2.0';

function presentHealth(
  { status, dependencies }: Health,
  skew: ClockSkew | undefined,
): View<typeof HealthView> {
  const clock = skew ? 'skewed' : 'ok';
  return { status, version: VERSION, architecture: ARCHITECTURE, dependencies, clock };
}

export interface HealthRoutesDeps extends HealthDeps {
  /** Whether the process ends as soon as its last request is answered. */
  readonly isDraining: () => boolean;
  readonly clocks: Pick<StoreClocks, 'skew'>;
}

export function createHealthRoutes(deps: HealthRoutesDeps): Route[] {
  const { clocks } = deps;
  const checkHealth = createHealthCheck(deps, () => performance.now());
  return [
    defineRoute({
      method: 'GET',
      path: '/health',
      auth: 'none',
      summary: 'Alive, and what it can reach',
      description:
        'Answers 200 while the process runs, even if a dependency does not answer: `dependencies` says which. For liveness probes.',
      replies: { 200: HealthView },
      refusals: [],
      handle: async () => ({
        status: 200,
        body: presentHealth(await checkHealth(), clocks.skew()),
      }),
    }),

    defineRoute({
      method: 'GET',
      path: '/ready',
      auth: 'none',
      summary: 'Whether it can serve',
      description:
        'Answers 200 while MongoDB answers and the process is not stopping, otherwise 503. Without Temporal uploads work, and the calls that need it answer 503. For readiness probes and load balancers.',
      replies: { 200: HealthView },
      refusals: ['unavailable'],
      async handle() {
        const health = await checkHealth();
        if (health.dependencies.mongodb === 'down' || deps.isDraining())
          throw new AppError('unavailable');
        return { status: 200, body: presentHealth(health, clocks.skew()) };
      },
    }),
  ];
}
