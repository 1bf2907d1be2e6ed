import { Readable } from 'node:stream';
import {
  ApprovalView,
  ApproveRequest,
  MigrationId,
  MigrationReportLine,
  MigrationResult,
  MigrationsPage,
  MigrationsQuery,
  ReleasedObject,
  ReleasedObjectsQuery,
  ReleaseStarted,
  ReleaseView,
  RoundsRequest,
} from './schemas.ts';
import { RecommendationId } from '../recommendations/schemas.ts';
import { approveMigration, type ApprovalDeps } from '../../operations/migrations/approval.ts';
import { readMigrationReport } from '../../operations/migrations/report.ts';
import {
  cancelMigration,
  findMigrationRecord,
  getMigration,
  listMigrations,
  type MigrationListDeps,
} from '../../operations/migrations/migrations.ts';
import {
  presentApproval,
  presentMigration,
  presentMigrationLine,
  presentMigrationReport,
} from './present.ts';
import { presentReleasedObjects, presentRelease } from './present-release.ts';
import {
  beginRelease,
  getRelease,
  readReleasedObjects,
  type ReleaseDeps,
} from '../../operations/migrations/release.ts';
import {
  releaseSource,
  type ReleaseSourceDeps,
} from '../../operations/migrations/release-source.ts';
import { startRound } from '../../operations/migrations/rounds.ts';
import { defineRoute, ONE_AT_A_TIME, type Route } from '../http/route.ts';
import { Empty } from '../http/schemas.ts';

export type MigrationRoutesDeps = ApprovalDeps &
  ReleaseDeps &
  ReleaseSourceDeps &
  MigrationListDeps;

export function createMigrationRoutes(deps: MigrationRoutesDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/scanner/recommendations/{recommendationId}/approve',
      auth: 'dashboard',
      summary: 'Approve the quote of a recommended move: only then is anything copied',
      description:
        'Binds the migration to the quote of the named target: if listing the source again exceeds it by over 10 %, nothing is copied. `target` names another bucket of that provider, and what the keys there begin with; the bucket is tried before anything is approved. The same call again gives the same answer; another target is refused. A 503 leaves the recommendation open: call again.',
      params: RecommendationId,
      body: ApproveRequest,
      replies: { 202: ApprovalView },
      refusals: [
        'recommendation_not_found',
        'recommendation_not_open',
        'migration_too_large',
        'recommendation_not_approvable',
        'target_prefix_taken',
        'migration_running',
        'plan_limit',
        'provider_not_configured',
        'provider_not_usable',
      ],
      mayTakeLong: () => true,
      async handle({ account, actor, params: { recommendationId }, body }) {
        const approved = await approveMigration(deps, account, actor, {
          recommendationId,
          ...body,
        });
        return { status: 202, body: presentApproval(approved) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/migrations',
      auth: 'dashboard',
      summary: 'The approved migrations, the newest first, as they are stored',
      description:
        'A page of migrations, filtered by `status`. Status and percent are the stored ones; `GET /v1/scanner/migration/{migrationId}` has the live ones.',
      query: MigrationsQuery,
      replies: { 200: MigrationsPage },
      refusals: [],
      async handle({ account, query }) {
        const { limit, offset } = query;
        const { items, total, confirmed } = await listMigrations(deps, account, query);
        const shown = items.map((each) => presentMigrationLine(each, confirmed));
        return { status: 200, body: { items: shown, total, limit, offset } };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/migration/{migrationId}',
      auth: 'dashboard',
      summary: 'Watch a migration while it runs, and read what came of it',
      description:
        'Objects and confirmed bytes, rate and remaining time while it runs; failures with their reasons; and, after a later scan, what the move has saved.',
      params: MigrationId,
      replies: { 200: MigrationResult },
      refusals: ['migration_not_found'],
      async handle({ account, params: { migrationId } }) {
        const snapshot = await getMigration(deps, account, migrationId);
        return { status: 200, body: presentMigration(snapshot) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/migration/{migrationId}/report',
      auth: 'dashboard',
      summary: 'The report of a migration: a line for each object, and a last line with the totals',
      description:
        'NDJSON of any length: keys, size, SHA-256, ETags and outcome of each object. The last line, with the totals, is there once the migration has ended.',
      params: MigrationId,
      media: 'application/x-ndjson',
      replies: { 200: MigrationReportLine },
      refusals: ['migration_not_found'],
      async handle({ account, params: { migrationId } }) {
        const record = await findMigrationRecord(deps, account, migrationId);
        const lines = record
          ? presentMigrationReport(readMigrationReport(deps.manifests, record))
          : [];
        return { status: 200, body: Readable.from(lines, ONE_AT_A_TIME) };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/scanner/migration/{migrationId}/rounds',
      auth: 'dashboard',
      summary:
        'Start a round: copy what is new, changed or failed, and optionally remove what was deleted',
      description:
        'Lists the source again, whatever the age of its objects, and skips unchanged objects. Nothing is copied if the round would cost more than `maxTotalUsd`. Objects that were deleted at the source stay at the target, unless there are at most `removeAtMost` of them: then those that this migration wrote are removed.',
      params: MigrationId,
      body: RoundsRequest,
      replies: { 202: MigrationResult },
      refusals: [
        'migration_not_found',
        'migration_running',
        'target_prefix_taken',
        'too_many_rounds',
        'migration_too_large',
        'plan_limit',
        'provider_not_configured',
      ],
      async handle({ account, actor, params: { migrationId }, body }) {
        const round = { removeAtMost: 0, ...body };
        const snapshot = await startRound(deps, account, actor, migrationId, round);
        return { status: 202, body: presentMigration(snapshot) };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/scanner/migration/{migrationId}/release',
      auth: 'dashboard',
      summary: 'Check whether the source can be given up: both sides are listed and compared',
      description:
        'Every current object that the move selects must have been copied as it is now, and be at the target as it was copied. A check that runs already goes on; a finished one is replaced.',
      params: MigrationId,
      body: Empty,
      replies: { 202: ReleaseStarted },
      refusals: [
        'migration_not_found',
        'migration_running',
        'target_prefix_taken',
        'provider_not_configured',
      ],
      async handle({ account, actor, params: { migrationId } }) {
        const snapshot = await beginRelease(deps, account, actor, migrationId);
        const source = releaseSource(deps, account, snapshot.approved);
        return { status: 202, body: { release: presentRelease(snapshot, source) } };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/migration/{migrationId}/release',
      auth: 'dashboard',
      summary: 'What the check of the source has found, and how to delete what is proven',
      description:
        'Ready for 24 hours, or until a round begins. `howTo` has the commands that delete the proven objects at their store with your own credentials, each only if it is still the one that was proven. The service deletes nothing at a source.',
      params: MigrationId,
      replies: { 200: ReleaseView },
      refusals: ['migration_not_found', 'release_not_found'],
      async handle({ account, params: { migrationId } }) {
        const snapshot = await getRelease(deps, account, migrationId);
        const source = releaseSource(deps, account, snapshot.approved);
        return { status: 200, body: presentRelease(snapshot, source) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/migration/{migrationId}/release/objects',
      auth: 'dashboard',
      summary: 'The objects that may be deleted at the source: a line for each',
      description: 'NDJSON of any length, in the order of the keys, behind `after`.',
      params: MigrationId,
      query: ReleasedObjectsQuery,
      media: 'application/x-ndjson',
      replies: { 200: ReleasedObject },
      refusals: ['migration_not_found', 'release_not_found', 'release_not_ready'],
      async handle({ account, params: { migrationId }, query }) {
        const after = query.after || null;
        const pages = await readReleasedObjects(deps, account, migrationId, after);
        return { status: 200, body: Readable.from(presentReleasedObjects(pages), ONE_AT_A_TIME) };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/scanner/migration/{migrationId}/cancel',
      auth: 'dashboard',
      summary: 'Stop a migration at once; what was copied stays',
      description:
        'Copies in flight and their multipart uploads are aborted; only a write whose last byte has been sent is awaited. Status `cancelling` until all of it has stopped, then `cancelled`. The source is never changed. After the end of a migration the call changes nothing.',
      params: MigrationId,
      body: Empty,
      replies: { 202: MigrationResult },
      refusals: ['migration_not_found'],
      async handle({ account, actor, params: { migrationId } }) {
        const snapshot = await cancelMigration(deps, account, actor, migrationId);
        return { status: 202, body: presentMigration(snapshot) };
      },
    }),
  ];
}
