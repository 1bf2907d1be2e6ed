import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ObjectLedger } from '../../adapters/mongo/object-ledger.ts';
import type { Manifests } from '../../adapters/mongo/manifests.ts';
import type { Migrations } from '../../adapters/mongo/migrations.ts';
import type {
  ApprovedRecommendation,
  Recommendations,
} from '../../adapters/mongo/recommendations.ts';
import type { MigrationCommands } from '../../adapters/temporal/migration-commands.ts';
import type { Account } from '../../domain/account.ts';
import {
  CATALOGUE,
  SCANNED_PROVIDER,
  type ProviderName,
  type StoreLocation,
} from '../../domain/catalogue.ts';
import { entitle } from '../../domain/entitlement.ts';
import { AppError } from '../../domain/errors.ts';
import { isEnded, type Approval } from '../../domain/migration/migration.ts';
import type { Plans } from '../../domain/plan.ts';
import type { RecommendationRecord } from '../../domain/scan/scan.ts';
import { readMigrationReport, readFailures } from '../migration-report.ts';
import {
  ApprovalView,
  ApproveRequest,
  MigrationReportLine,
  MigrationId,
  MigrationResult,
  RecommendationId,
} from '../migration-schemas.ts';
import {
  presentApproval,
  presentMigration,
  storedProgress,
  type MigrationParts,
} from '../present/migration.ts';
import { defineRoute, type Route } from '../route.ts';
import { Empty } from '../schemas.ts';

export interface MigrationRoutesDeps {
  readonly recommendations: Recommendations;
  readonly migrations: Migrations;
  readonly manifests: Manifests;
  readonly ledger: ObjectLedger;
  readonly migrationCommands: MigrationCommands;
  readonly plans: Plans;
  readonly now: () => Date;
  /** Told of an approval whose workflow could not be reached; the sweep delivers it. */
  readonly onBackgroundError: (error: unknown) => void;
}

/** Who approves, and by which call. */
type Approver = Pick<Approval, 'approvedBy' | 'requestId'>;

export function createMigrationRoutes(deps: MigrationRoutesDeps): Route[] {
  const { recommendations, migrations, manifests, migrationCommands, now } = deps;

  /** What was approved stays approved, even where its workflow cannot be told at the moment. */
  async function deliver(approved: ApprovedRecommendation): Promise<void> {
    const { migrationId } = approved.approval;
    if (await migrations.find({ migrationId, accountId: approved.accountId })) return;
    await migrationCommands.approve(approved).catch(deps.onBackgroundError);
  }

  /** In the fixed order of refusals; the conditional write is what decides. */
  async function approve(
    account: Account,
    recommendationId: string,
    targetProvider: ProviderName,
    by: Approver,
  ): Promise<ApprovedRecommendation> {
    const key = { recommendationId, accountId: account.accountId };
    const found = await recommendations.find(key);
    if (!found) throw new AppError('recommendation_not_found');
    requireMove(found, targetProvider);
    if (isApprovedFor(found, targetProvider)) return found;
    const approvedAt = now();
    if (found.status !== 'open' || found.expiresAt <= approvedAt)
      throw new AppError('recommendation_not_open');
    entitle(account.plan, deps.plans[account.plan], { what: 'migration' });
    const approval = toApproval(account, found, targetProvider, { ...by, approvedAt });
    if (await recommendations.approve(key, approval))
      return { ...found, status: 'approved', approval };
    const latest = await recommendations.find(key);
    if (latest && isApprovedFor(latest, targetProvider)) return latest;
    throw new AppError('recommendation_not_open');
  }

  async function findApproved(account: Account, migrationId: string) {
    const key = { migrationId, accountId: account.accountId };
    const approved = await recommendations.findApproved(key);
    if (!approved) throw new AppError('migration_not_found');
    return approved;
  }

  /** From the workflow while it runs; from the database once it has ended, or where nobody answers. */
  async function describe(approved: ApprovedRecommendation): Promise<MigrationParts> {
    const key = { migrationId: approved.approval.migrationId, accountId: approved.accountId };
    const before = await migrations.find(key);
    const view =
      before && !isEnded(before.status) ? await migrationCommands.view(approved) : undefined;
    const [record, settled, failures] = await Promise.all([
      migrations.find(key),
      manifests.progress(key.migrationId),
      readFailures(deps, key.migrationId),
    ]);
    const stored: MigrationParts = {
      approved,
      record,
      status: record?.status ?? 'queued',
      progress: storedProgress(record, settled),
      bytesPerSecond: 0,
      etaSeconds: null,
      failures,
      settled,
      updatedAt: record?.updatedAt ?? approved.approval.approvedAt,
    };
    const isRunning = record !== undefined && !isEnded(record.status);
    if (!view || !isRunning) return stored;
    // The workflow hears of a slice at its end; the ledger may know more, and nobody sees it go back.
    const isBehind = view.progress.bytesSettled < stored.progress.bytesSettled;
    const progress = isBehind ? stored.progress : view.progress;
    return { ...stored, ...view, progress, updatedAt: now() };
  }

  return [
    defineRoute({
      method: 'POST',
      path: '/v1/scanner/recommendations/{recommendationId}/approve',
      auth: 'dashboard',
      summary: 'Approve the quote of a recommended move: only then is anything copied',
      params: RecommendationId,
      body: ApproveRequest,
      replies: { 202: ApprovalView },
      refusals: [
        'recommendation_not_found',
        'recommendation_not_open',
        'recommendation_not_approvable',
        'plan_limit',
        'provider_not_configured',
      ],
      async handle({ account, subject, requestId, params, body }) {
        const { recommendationId } = params;
        const approved = await approve(account, recommendationId, body.targetProvider, {
          approvedBy: subject,
          requestId,
        });
        await deliver(approved);
        return { status: 202, body: presentApproval(approved) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/migration/{migrationId}',
      auth: 'dashboard',
      summary: 'Watch a migration while it runs, and read what came of it',
      params: MigrationId,
      replies: { 200: MigrationResult },
      refusals: ['migration_not_found'],
      async handle({ account, params: { migrationId } }) {
        const approved = await findApproved(account, migrationId);
        return { status: 200, body: presentMigration(await describe(approved)) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/migration/{migrationId}/report',
      auth: 'dashboard',
      summary: 'The evidence of a migration: a line for each object, and a last one that sums up',
      params: MigrationId,
      media: 'application/x-ndjson',
      replies: { 200: MigrationReportLine },
      refusals: ['migration_not_found'],
      async handle({ account, params: { migrationId } }) {
        const { accountId } = await findApproved(account, migrationId);
        const record = await migrations.find({ migrationId, accountId });
        return {
          status: 200,
          body: Readable.from(record ? readMigrationReport(deps, record) : []),
        };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/scanner/migration/{migrationId}/cancel',
      auth: 'dashboard',
      summary: 'End a migration after the objects in flight; what was copied stays',
      params: MigrationId,
      body: Empty,
      replies: { 202: MigrationResult },
      refusals: ['migration_not_found'],
      async handle({ account, params: { migrationId } }) {
        const approved = await findApproved(account, migrationId);
        const record = await migrations.find({ migrationId, accountId: approved.accountId });
        if (!record || !isEnded(record.status)) await migrationCommands.cancel(approved);
        return { status: 202, body: presentMigration(await describe(approved)) };
      },
    }),
  ];
}

/** @throws AppError `recommendation_not_approvable`, `invalid_request` */
function requireMove({ kind }: RecommendationRecord, targetProvider: ProviderName): void {
  if (kind !== 'move') throw new AppError('recommendation_not_approvable');
  if (targetProvider !== SCANNED_PROVIDER) return;
  const message = `must be another provider than ${CATALOGUE[SCANNED_PROVIDER].title}, where the objects are`;
  const details = [{ path: '/targetProvider', message }];
  throw new AppError('invalid_request', undefined, { details });
}

function isApprovedFor(
  found: RecommendationRecord,
  targetProvider: ProviderName,
): found is ApprovedRecommendation {
  return found.approval?.targetProvider === targetProvider;
}

/** @throws AppError `invalid_request`, `provider_not_configured` */
function toApproval(
  account: Account,
  { bucket, region, options }: RecommendationRecord,
  targetProvider: ProviderName,
  by: Approver & Pick<Approval, 'approvedAt'>,
): Approval {
  const option = options.find(({ provider }) => provider === targetProvider);
  if (!option) {
    const details = [{ path: '/targetProvider', message: 'is none of the options' }];
    throw new AppError('invalid_request', undefined, { details });
  }
  return {
    migrationId: randomUUID(),
    targetProvider,
    quote: option.quote,
    ...by,
    source: { ...locationOf(account, SCANNED_PROVIDER), bucketName: bucket, region },
    target: locationOf(account, targetProvider),
  };
}

function locationOf({ providers }: Account, provider: ProviderName): StoreLocation {
  const stored = providers[provider];
  if (stored) return stored.location;
  throw new AppError('provider_not_configured', `${provider} is not configured for this account.`);
}
