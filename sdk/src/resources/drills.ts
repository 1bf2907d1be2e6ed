import { createMethods, dashboard, ONCE } from '../http/methods.ts';
import type { PagedList } from '../http/paged.ts';
import { poll, type PollOptions } from '../http/polling.ts';
import { type CallOptions, type PageOptions, type Transport } from '../http/transport.ts';
import { StorageRoutingError } from '../http/errors.ts';
import type {
  Api,
  Drill,
  DrillCertificate,
  DrillEstimate,
  DrillSchedule,
  DrillsPage,
} from '../http/api-types.ts';

/** What to sample, and where to copy it. */
export type DrillRequest = Omit<Api['POST /v1/drills']['input'], 'dryRun'>;

/** How often, at which hour in UTC (0 to 23), and what. `maxTotalUsd` holds for each drill. */
export type DrillScheduleRule = Api['PUT /v1/drills/schedule']['input'];

/** A repeated start would be refused because the first one runs. */
export const drillRoutes = {
  start: dashboard('POST', '/v1/drills', ONCE),
  list: dashboard('GET', '/v1/drills'),
  schedule: dashboard('GET', '/v1/drills/schedule'),
  setSchedule: dashboard('PUT', '/v1/drills/schedule'),
  removeSchedule: dashboard('DELETE', '/v1/drills/schedule'),
  get: dashboard('GET', '/v1/drills/{drillId}'),
  cancel: dashboard('POST', '/v1/drills/{drillId}/cancel'),
  certificate: dashboard('GET', '/v1/drills/{drillId}/certificate'),
} as const;

/** Tries an exit with a sample of the files of a place; nothing stays at the target. */
export interface Drills {
  /** What it would cost. Nothing is stored. */
  estimate(request: DrillRequest, options?: CallOptions): Promise<DrillEstimate>;
  /** Begins a drill; refused where the estimate is above `maxTotalUsd`. */
  start(request: DrillRequest & { maxTotalUsd: number }, options?: CallOptions): Promise<Drill>;
  list(options?: PageOptions): PagedList<DrillsPage>;
  get(drillId: string, options?: CallOptions): Promise<Drill>;
  /** Polls until the drill has ended. */
  waitFor(drillId: string, options?: PollOptions<Drill>): Promise<Drill>;
  /** Goes no further; what is copied is removed. */
  cancel(drillId: string, options?: CallOptions): Promise<Drill>;
  certificate(drillId: string, options?: CallOptions): Promise<DrillCertificate>;
  /** The certificate as a page, in one file. */
  certificatePage(drillId: string, options?: CallOptions): Promise<string>;
  /** When drills start by themselves; null: never. */
  schedule(options?: CallOptions): Promise<DrillSchedule | null>;
  /** The same rule again changes nothing. */
  setSchedule(rule: DrillScheduleRule, options?: CallOptions): Promise<DrillSchedule>;
  removeSchedule(options?: CallOptions): Promise<void>;
}

export function createDrills(transport: Transport): Drills {
  const { settings } = transport;
  const { byId, paged, plain, withBody } = createMethods(transport);
  const get = byId(drillRoutes.get);
  const start = withBody(drillRoutes.start);
  const hasEnded = ({ completedAt }: Drill) => completedAt !== null;
  return {
    estimate: (request, options) =>
      start({ ...request, dryRun: true }, options) as Promise<DrillEstimate>,
    start: (request, options) => start(request, options) as Promise<Drill>,
    list: paged(drillRoutes.list, ({ drillId }) => drillId),
    get,
    waitFor: (drillId, options = {}) =>
      poll(settings, (callOptions) => get(drillId, callOptions), options, hasEnded),
    cancel: byId(drillRoutes.cancel),
    certificate: byId(drillRoutes.certificate),
    certificatePage: (drillId, options) =>
      byId({ ...drillRoutes.certificate, media: 'text/html' })(drillId, options).then(String),
    schedule: (options) => plain(drillRoutes.schedule)(options).catch(nullIfNotFound),
    setSchedule: withBody(drillRoutes.setSchedule),
    async removeSchedule(options) {
      await plain(drillRoutes.removeSchedule)(options);
    },
  };
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof StorageRoutingError && error.code === 'not_found') return null;
  throw error;
}
