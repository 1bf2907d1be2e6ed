import { readLines } from '../http/lines.ts';
import { type PagedList, pagedList } from '../http/paged.ts';
import { isCompleted, poll, type PollOptions } from '../http/polling.ts';
import {
  type CallOptions,
  routeName,
  type PageOptions,
  type Route,
  type Transport,
} from '../http/transport.ts';
import type {
  Api,
  ApprovedMigration,
  ListedMigration,
  Migration,
  MigrationsPage,
  MigrationStatus,
  Release,
  ReleasedObject,
} from '../http/api-types.ts';

/**
 * `targetProvider` is any configured store among the recommendation's options; `target` names another bucket there, and
 * what the keys begin with.
 */
export type ApprovalRequest =
  Api['POST /v1/scanner/recommendations/{recommendationId}/approve']['input'];

/** `maxTotalUsd` is what the round may cost, `removeAtMost` how many gone objects it may remove; default: none. */
export type RoundRequest = Api['POST /v1/scanner/migration/{migrationId}/rounds']['input'];

/** A line of the migration report; `'key' in line` distinguishes an object from the summary. */
export type ReportLine = Api['GET /v1/scanner/migration/{migrationId}/report']['line'];

/** Selects migrations; both fields of a page are optional too. */
export interface MigrationsOptions extends PageOptions {
  status?: MigrationStatus | undefined;
}

export type WaitForMigrationOptions = PollOptions<Migration>;
export type WaitForReleaseOptions = PollOptions<Release>;

export interface ReleasedObjectsOptions extends CallOptions {
  /** The objects behind this key; default: all. */
  after?: string | undefined;
}

/**
 * An equal approval gets the same answer, and a repeated cancel has no effect; a repeated round would be refused because
 * the first one runs.
 */
export const migrationRoutes = {
  approve: {
    method: 'POST',
    path: '/v1/scanner/recommendations/{recommendationId}/approve',
    auth: 'dashboard',
  },
  list: { method: 'GET', path: '/v1/scanner/migrations', auth: 'dashboard' },
  get: { method: 'GET', path: '/v1/scanner/migration/{migrationId}', auth: 'dashboard' },
  report: {
    method: 'GET',
    path: '/v1/scanner/migration/{migrationId}/report',
    auth: 'dashboard',
    media: 'application/x-ndjson',
  },
  cancel: { method: 'POST', path: '/v1/scanner/migration/{migrationId}/cancel', auth: 'dashboard' },
  beginRelease: {
    method: 'POST',
    path: '/v1/scanner/migration/{migrationId}/release',
    auth: 'dashboard',
  },
  release: {
    method: 'GET',
    path: '/v1/scanner/migration/{migrationId}/release',
    auth: 'dashboard',
  },
  releasedObjects: {
    method: 'GET',
    path: '/v1/scanner/migration/{migrationId}/release/objects',
    auth: 'dashboard',
    media: 'application/x-ndjson',
  },
  startRound: {
    method: 'POST',
    path: '/v1/scanner/migration/{migrationId}/rounds',
    auth: 'dashboard',
    repeat: 'unless_started',
  },
} as const satisfies Record<string, Route>;

/** Executes a recommended move after its quote is approved. The source is never changed. */
export interface Migrations {
  /**
   * Approves the quote of this store and starts the copy, which ends before its first object if its cost exceeds the
   * quote by over 10 %.
   */
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
  /**
   * Copies once more what is new, changed or failed at the source, after the migration has ended. Nothing is copied if it
   * would cost more than `maxTotalUsd`.
   */
  startRound(migrationId: string, request: RoundRequest, options?: CallOptions): Promise<Migration>;
  /** Begins a check whether the source can be given up, in place of the last one. */
  beginRelease(migrationId: string, options?: CallOptions): Promise<{ release: Release }>;
  /** The latest check: what differs, or how to delete what is proven. */
  release(migrationId: string, options?: CallOptions): Promise<Release>;
  /** Polls until the check has ended, with any outcome. */
  waitForRelease(migrationId: string, options?: WaitForReleaseOptions): Promise<Release>;
  /** The objects that may be deleted at the source, behind a key; only while the release is ready. */
  releasedObjects(
    migrationId: string,
    options?: ReleasedObjectsOptions,
  ): AsyncIterable<ReleasedObject>;
  /** Stops at once; copied objects remain. No effect on a migration that has ended. */
  cancel(migrationId: string, options?: CallOptions): Promise<Migration>;
}

export function createMigrations(transport: Transport): Migrations {
  const { settings } = transport;
  const get: Migrations['get'] = (migrationId, options = {}) =>
    transport.call(migrationRoutes.get, { ...options, parameters: { migrationId } });

  const release: Migrations['release'] = (migrationId, options = {}) =>
    transport.call(migrationRoutes.release, { ...options, parameters: { migrationId } });
  const isChecked = ({ status }: Release) => status !== 'checking';

  async function* lines<Line>(
    route: typeof migrationRoutes.report | typeof migrationRoutes.releasedObjects,
    input: Parameters<typeof transport.call>[1],
  ): AsyncIterable<Line> {
    const opened = await transport.call(route, input);
    const { stallTimeoutMs: timeoutMs } = settings;
    yield* readLines<Line>(opened, { what: routeName(route), timeoutMs, signal: input.signal });
  }

  return {
    approve: (recommendationId, request, options = {}) =>
      transport.call(migrationRoutes.approve, {
        ...options,
        parameters: { recommendationId },
        body: request,
      }),
    list: ({ status, ...options } = {}) =>
      pagedList<ListedMigration, MigrationsPage>(
        ({ limit, offset }) =>
          transport.call(migrationRoutes.list, { ...options, query: { status, limit, offset } }),
        options,
        ({ migrationId }) => migrationId,
      ),
    get,
    waitFor: (migrationId, options = {}) =>
      poll(settings, (callOptions) => get(migrationId, callOptions), options, isCompleted),
    report: (migrationId, options = {}) =>
      lines<ReportLine>(migrationRoutes.report, { ...options, parameters: { migrationId } }),
    beginRelease: (migrationId, options = {}) =>
      transport.call(migrationRoutes.beginRelease, {
        ...options,
        parameters: { migrationId },
        body: {},
      }),
    release,
    waitForRelease: (migrationId, options = {}) =>
      poll(settings, (callOptions) => release(migrationId, callOptions), options, isChecked),
    releasedObjects: (migrationId, { after, ...options } = {}) =>
      lines<ReleasedObject>(migrationRoutes.releasedObjects, {
        ...options,
        parameters: { migrationId },
        query: { after },
      }),
    startRound: (migrationId, request, options = {}) =>
      transport.call(migrationRoutes.startRound, {
        ...options,
        parameters: { migrationId },
        body: request,
      }),
    cancel: (migrationId, options = {}) =>
      transport.call(migrationRoutes.cancel, { ...options, parameters: { migrationId }, body: {} }),
  };
}
