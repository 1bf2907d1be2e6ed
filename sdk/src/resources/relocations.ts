import { createMethods, dashboard, LINES, ONCE } from '../http/methods.ts';
import type { PagedList } from '../http/paged.ts';
import { poll, type PollOptions } from '../http/polling.ts';
import { type CallOptions, type PageOptions, type Transport } from '../http/transport.ts';
import type { Api, Relocation, RelocationEstimate, RelocationsPage } from '../http/api-types.ts';

/** What to move: from a current or former place to a provider's current one. */
export type RelocationRequest = Omit<Api['POST /v1/relocations']['input'], 'dryRun'>;
/** A line of the report; `'fileId' in line` distinguishes a file from the sum. */
export type RelocationLine = Api['GET /v1/relocations/{relocationId}/report']['line'];

/** A repeated start would be refused because the first one runs. */
export const relocationRoutes = {
  start: dashboard('POST', '/v1/relocations', ONCE),
  list: dashboard('GET', '/v1/relocations'),
  get: dashboard('GET', '/v1/relocations/{relocationId}'),
  cancel: dashboard('POST', '/v1/relocations/{relocationId}/cancel'),
  report: dashboard('GET', '/v1/relocations/{relocationId}/report', LINES),
} as const;

/** Moves files from one place of the account to another; no link breaks. */
export interface Relocations {
  /** What it would cost once, and the storage a month before and after. Nothing is stored. */
  estimate(request: RelocationRequest, options?: CallOptions): Promise<RelocationEstimate>;
  /** Begins a relocation; refused where the estimate is above `maxTotalUsd`. */
  start(
    request: RelocationRequest & { maxTotalUsd: number },
    options?: CallOptions,
  ): Promise<Relocation>;
  list(options?: PageOptions): PagedList<RelocationsPage>;
  get(relocationId: string, options?: CallOptions): Promise<Relocation>;
  /** Polls until every file is moved, or the relocation has ended otherwise. */
  waitFor(relocationId: string, options?: PollOptions<Relocation>): Promise<Relocation>;
  /** Moves no further file; what is moved stays. */
  cancel(relocationId: string, options?: CallOptions): Promise<Relocation>;
  /** A line for each file, then the sum; streamed in constant memory. */
  report(relocationId: string, options?: CallOptions): AsyncIterable<RelocationLine>;
}

export function createRelocations(transport: Transport): Relocations {
  const { settings } = transport;
  const { byId, lines, paged, withBody } = createMethods(transport);
  const get = byId(relocationRoutes.get);
  const start = withBody(relocationRoutes.start);
  const hasMoved = ({ status }: Relocation) => status !== 'planning' && status !== 'copying';
  return {
    estimate: (request, options) =>
      start({ ...request, dryRun: true }, options) as Promise<RelocationEstimate>,
    start: (request, options) => start(request, options) as Promise<Relocation>,
    list: paged(relocationRoutes.list, ({ relocationId }) => relocationId),
    get,
    waitFor: (relocationId, options = {}) =>
      poll(settings, (callOptions) => get(relocationId, callOptions), options, hasMoved),
    cancel: byId(relocationRoutes.cancel),
    report: (id, options) => lines<RelocationLine>(relocationRoutes.report, { ...options, id }),
  };
}
