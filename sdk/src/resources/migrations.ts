import { createMethods, dashboard, LINES, ONCE } from '../http/methods.ts';
import type { PagedList } from '../http/paged.ts';
import { type CallOptions, type PageOptions, type Transport } from '../http/transport.ts';
import { isCompleted, poll, type PollOptions } from '../http/polling.ts';
import type {
  Api,
  ApprovedMigration,
  Migration,
  MigrationsPage,
  MigrationStatus,
  Release,
  ReleasedObject,
} from '../http/api-types.ts';

/**
 * `targetProvider` is any configured store among the recommendation's options; `target` names
 * another bucket there, and what the keys begin with.
 */
export type ApprovalRequest =
  Api['POST /v1/scanner/recommendations/{recommendationId}/approve']['input'];

/** `removeAtMost`: how many objects that are gone at the source it may remove; default: none. */
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
 * An equal approval gets the same answer, and a repeated cancel has no effect; a repeated round
 * would be refused because the first one runs.
 */
export const migrationRoutes = {
  approve: dashboard('POST', '/v1/scanner/recommendations/{recommendationId}/approve'),
  list: dashboard('GET', '/v1/scanner/migrations'),
  get: dashboard('GET', '/v1/scanner/migration/{migrationId}'),
  report: dashboard('GET', '/v1/scanner/migration/{migrationId}/report', LINES),
  cancel: dashboard('POST', '/v1/scanner/migration/{migrationId}/cancel'),
  beginRelease: dashboard('POST', '/v1/scanner/migration/{migrationId}/release'),
  release: dashboard('GET', '/v1/scanner/migration/{migrationId}/release'),
  releasedObjects: dashboard('GET', '/v1/scanner/migration/{migrationId}/release/objects', LINES),
  startRound: dashboard('POST', '/v1/scanner/migration/{migrationId}/rounds', ONCE),
} as const;

/** Executes a recommended move after its quote is approved. The source is never changed. */
export interface Migrations {
  /**
   * Approves the quote of this store and starts the copy, which ends before its first object if its
   * cost exceeds the quote by over 10 %.
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
   * The outcome of each object, and a summary line once the migration has ended. Lines are streamed
   * in constant memory; the request starts and ends with the loop. Lines already yielded are not
   * requested again: a report that breaks off ends with an error.
   */
  report(migrationId: string, options?: CallOptions): AsyncIterable<ReportLine>;
  /**
   * Copies once more what is new, changed or failed at the source, after the migration has ended.
   * Nothing is copied if it would cost more than `maxTotalUsd`.
   */
  startRound(migrationId: string, request: RoundRequest, options?: CallOptions): Promise<Migration>;
  /** Begins a check whether the source can be given up, in place of the last one. */
  beginRelease(migrationId: string, options?: CallOptions): Promise<{ release: Release }>;
  /** The latest check: what differs, or how to delete what is proven. */
  release(migrationId: string, options?: CallOptions): Promise<Release>;
  /** Polls until the check has ended, with any outcome. */
  waitForRelease(migrationId: string, options?: WaitForReleaseOptions): Promise<Release>;
  /** The objects that may be deleted at the source; only while the release is ready. */
  releasedObjects(
    migrationId: string,
    options?: ReleasedObjectsOptions,
  ): AsyncIterable<ReleasedObject>;
  /** Stops at once; copied objects remain. No effect on a migration that has ended. */
  cancel(migrationId: string, options?: CallOptions): Promise<Migration>;
}

export function createMigrations(transport: Transport): Migrations {
  const { settings } = transport;
  const { byId, byIdWithBody, lines, paged } = createMethods(transport);
  const get = byId(migrationRoutes.get);
  const release = byId(migrationRoutes.release);
  const isChecked = ({ status }: Release) => status !== 'checking';

  return {
    approve: byIdWithBody(migrationRoutes.approve),
    list: paged(migrationRoutes.list, ({ migrationId }) => migrationId),
    get,
    waitFor: (migrationId, options = {}) =>
      poll(settings, (callOptions) => get(migrationId, callOptions), options, isCompleted),
    report: (id, options) => lines<ReportLine>(migrationRoutes.report, { ...options, id }),
    beginRelease: byId(migrationRoutes.beginRelease),
    release,
    waitForRelease: (migrationId, options = {}) =>
      poll(settings, (callOptions) => release(migrationId, callOptions), options, isChecked),
    releasedObjects: (id, { after, ...options } = {}) =>
      lines<ReleasedObject>(migrationRoutes.releasedObjects, { ...options, id, query: { after } }),
    startRound: byIdWithBody(migrationRoutes.startRound),
    cancel: byId(migrationRoutes.cancel),
  };
}
