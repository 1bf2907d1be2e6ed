import { linesOf } from '../http/lines.ts';
import { type PagedList, pagedList } from '../http/paged.ts';
import { poll } from '../http/polling.ts';
import {
  type CallOptions,
  nameOf,
  type OpenBody,
  type PageOptions,
  type Route,
  type Transport,
} from '../http/transport.ts';
import type { Provider } from './files.ts';
import type {
  ApprovedMigration,
  ListedMigration,
  Migration,
  MigrationStatus,
  ReportLine,
} from './migration.ts';

export interface ApprovalRequest {
  /** Any configured store among the recommendation's options. */
  targetProvider: Provider;
}

/** Selects migrations; both fields of a page are optional too. */
export interface MigrationsOptions extends PageOptions {
  status?: MigrationStatus | undefined;
}

export interface MigrationsPage {
  /** By the time of the approval, the newest first. */
  items: ListedMigration[];
  /** The number of all migrations that were selected. */
  total: number;
  limit: number;
  offset: number;
}

export interface WaitForMigrationOptions extends CallOptions {
  /** Polling interval in milliseconds; default 2,000. */
  pollMs?: number | undefined;
  /** Called with each state. An exception ends the polling. */
  onProgress?: ((migration: Migration) => void) | undefined;
}

/** All of these may be repeated: an equal approval gets the same answer, and a repeated cancel has no effect. */
export const migrationRoutes = {
  approve: {
    method: 'POST',
    path: '/v1/scanner/recommendations/{recommendationId}/approve',
    auth: 'dashboard',
    repeat: 'safe',
  },
  list: {
    method: 'GET',
    path: '/v1/scanner/migrations',
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

/** Executes a recommended move after its quote is approved. The source is never changed. */
export interface Migrations {
  /** Approves the quote of this store and starts the copy. */
  approve(
    recommendationId: string,
    request: ApprovalRequest,
    options?: CallOptions,
  ): Promise<ApprovedMigration>;
  /** The approved migrations as stored. */
  list(options?: MigrationsOptions): PagedList<MigrationsPage>;
  /** Live while the migration runs. */
  get(migrationId: string, options?: CallOptions): Promise<Migration>;
  /** Polls until the migration has ended, with any outcome. */
  waitFor(migrationId: string, options?: WaitForMigrationOptions): Promise<Migration>;
  /**
   * The outcome of each object, and a summary line once the migration has ended. Lines are streamed in constant memory;
   * the request starts and ends with the loop. Lines already yielded are not requested again: a report that breaks off
   * ends with an error.
   */
  report(migrationId: string, options?: CallOptions): AsyncIterable<ReportLine>;
  /** Stops after the objects in flight; copied objects remain. No effect on a migration that has ended. */
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
    list: ({ status, ...options } = {}) =>
      pagedList<ListedMigration, MigrationsPage>(
        ({ limit, offset }) =>
          transport.call(migrationRoutes.list, { ...options, query: { status, limit, offset } }),
        options,
        ({ migrationId }) => migrationId,
      ),
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
