import { linesOf } from '../http/lines.ts';
import { poll } from '../http/polling.ts';
import {
  type CallOptions,
  nameOf,
  type OpenBody,
  type Route,
  type Transport,
} from '../http/transport.ts';
import type { Provider } from './files.ts';
import type { ApprovedMigration, Migration, MigrationStatus, ReportLine } from './migration.ts';

export interface ApprovalRequest {
  /** Any configured store among the recommendation's options. */
  targetProvider: Provider;
}

export interface WaitForMigrationOptions extends CallOptions {
  /** How long to wait between two looks, in milliseconds; 2,000 unless told otherwise. */
  pollMs?: number | undefined;
  /** Told of each look. If it throws, the looking ends. */
  onProgress?: ((migration: Migration) => void) | undefined;
}

/** All of it may be repeated: an equal approval gives the same answer, and what is cancelled stays so. */
export const migrationRoutes = {
  approve: {
    method: 'POST',
    path: '/v1/scanner/recommendations/{recommendationId}/approve',
    auth: 'dashboard',
    repeat: 'safe',
  },
  get: {
    method: 'GET',
    path: '/v1/scanner/migration/{migrationId}',
    auth: 'dashboard',
    repeat: 'safe',
  },
  report: {
    method: 'GET',
    path: '/v1/scanner/migration/{migrationId}/report',
    auth: 'dashboard',
    repeat: 'safe',
    media: 'application/x-ndjson',
  },
  cancel: {
    method: 'POST',
    path: '/v1/scanner/migration/{migrationId}/cancel',
    auth: 'dashboard',
    repeat: 'safe',
  },
} as const satisfies Record<string, Route>;

/** What carries a recommended move out, once you have approved its quote. The source is never changed. */
export interface Migrations {
  /** Your yes to the quote of this store. From here on it is copied. */
  approve(
    recommendationId: string,
    request: ApprovalRequest,
    options?: CallOptions,
  ): Promise<ApprovedMigration>;
  /** Live while it runs. */
  get(migrationId: string, options?: CallOptions): Promise<Migration>;
  /** Looks again and again until the migration has ended, however that is. */
  waitFor(migrationId: string, options?: WaitForMigrationOptions): Promise<Migration>;
  /**
   * What became of each object, and a summing line once the migration has ended. The lines come as they are read, in
   * constant memory; the request is sent when the loop begins, and ends with it. Lines that have been given are not
   * asked for again: a report that breaks off ends with an error.
   */
  report(migrationId: string, options?: CallOptions): AsyncIterable<ReportLine>;
  /** Stops after the objects in flight; what was copied stays. Of one that has ended it changes nothing. */
  cancel(migrationId: string, options?: CallOptions): Promise<Migration>;
}

const POLL_MS = 2_000;
const ENDED: ReadonlySet<MigrationStatus> = new Set([
  'completed',
  'completed_with_failures',
  'failed',
  'cancelled',
]);

export function createMigrations(transport: Transport): Migrations {
  const { settings } = transport;
  const get: Migrations['get'] = (migrationId, options = {}) =>
    transport.call(migrationRoutes.get, { ...options, parameters: { migrationId } });

  return {
    approve: (recommendationId, { targetProvider }, options = {}) =>
      transport.call(migrationRoutes.approve, {
        ...options,
        parameters: { recommendationId },
        body: { targetProvider },
      }),
    get,
    waitFor: (migrationId, { pollMs = POLL_MS, onProgress, ...options } = {}) =>
      poll(settings, {
        look: () => get(migrationId, options),
        hasEnded: ({ status }) => ENDED.has(status),
        pollMs,
        onProgress,
        signal: options.signal,
      }),
    async *report(migrationId, options = {}) {
      const route = migrationRoutes.report;
      const input = { ...options, parameters: { migrationId } };
      const opened = await transport.call<OpenBody>(route, input);
      const { stallTimeoutMs: timeoutMs } = settings;
      yield* linesOf<ReportLine>(opened, {
        what: nameOf(route),
        timeoutMs,
        signal: options.signal,
      });
    },
    cancel: (migrationId, options = {}) =>
      transport.call(migrationRoutes.cancel, { ...options, parameters: { migrationId }, body: {} }),
  };
}
