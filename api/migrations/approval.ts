import type { Accounts } from '../../adapters/mongo/accounts.ts';
import type { Migrations } from '../../adapters/mongo/migrations.ts';
import type {
  ApprovedRecommendation,
  Recommendations,
} from '../../adapters/mongo/recommendations.ts';
import type { MigrationCommands } from '../../adapters/temporal/migration-commands.ts';
import { isAt, requireProvider, type Account } from '../../domain/account/account.ts';
import { CATALOGUE, SCANNED_PROVIDER, type ProviderName } from '../../domain/provider/catalogue.ts';
import { entitle } from '../../domain/account/entitlement.ts';
import { AppError } from '../../domain/common/errors.ts';
import type { Approval } from '../../domain/migration/migration.ts';
import type { Plans } from '../../domain/account/plan.ts';
import {
  isTooLarge,
  type RecommendationRecord,
  sizeMessage,
} from '../../domain/recommendation/recommendation.ts';
import { readUnchanging } from '../account/account.ts';

export interface ApprovalDeps {
  readonly accounts: Pick<Accounts, 'find' | 'revokeProviderChange'>;
  readonly recommendations: Recommendations;
  readonly migrations: Migrations;
  readonly migrationCommands: MigrationCommands;
  readonly plans: Plans;
  readonly migrationMaxBytes: number;
  readonly now: () => Date;
  /** Receives the failure to signal a workflow; the sweep signals it later. */
  readonly onBackgroundError: (error: unknown) => void;
}

export interface ApprovalRequest {
  readonly recommendationId: string;
  readonly targetProvider: ProviderName;
  /** The person at the dashboard. */
  readonly approvedBy: string;
  readonly requestId: string;
}

/**
 * Approves a recommended move to one target and signals its workflow. An equal repeat gives the same
 * answer, and signals again until the migration has begun. If a provider's location changes meanwhile, the
 * approval is withdrawn and the call starts again.
 *
 * @throws AppError `recommendation_not_found`, `recommendation_not_approvable`, `invalid_request`,
 * `recommendation_not_open`, `migration_too_large`, `plan_limit`, `provider_not_configured`
 */
export async function approveMigration(
  deps: ApprovalDeps,
  account: Account,
  request: ApprovalRequest,
): Promise<ApprovedRecommendation> {
  const approved = await approve(deps, account, request);
  const key = { migrationId: approved.recommendationId, accountId: account.accountId };
  if (await deps.migrations.find(key)) return approved;
  const latest = await readUnchanging(deps.accounts, account.accountId);
  // The source is the scanned bucket, whichever bucket its provider's keys are stored for.
  if (!latest.providers[SCANNED_PROVIDER] || !isAt(latest, approved.approval.target)) {
    await deps.recommendations.withdraw(approved);
    return await approveMigration(deps, latest, request);
  }
  // If its workflow cannot be signalled, the approval stays valid, and the sweep signals again.
  await deps.migrationCommands.approve(approved).catch(deps.onBackgroundError);
  return approved;
}

/** Checks in the fixed order of refusals; the conditional write decides. */
async function approve(
  { recommendations, plans, migrationMaxBytes, now }: ApprovalDeps,
  account: Account,
  request: ApprovalRequest,
): Promise<ApprovedRecommendation> {
  const { recommendationId, targetProvider } = request;
  const key = { recommendationId, accountId: account.accountId };
  const found = await recommendations.find(key);
  if (!found) throw new AppError('recommendation_not_found');
  requireMove(found, targetProvider);
  if (isApprovedFor(found, targetProvider)) return found;
  const approvedAt = now();
  if (found.status !== 'open' || found.expiresAt <= approvedAt)
    throw new AppError('recommendation_not_open');
  if (isTooLarge(found, migrationMaxBytes))
    throw new AppError('migration_too_large', sizeMessage(found, migrationMaxBytes));
  entitle(account.plan, plans[account.plan], { what: 'migration' });
  const approval = newApproval(account, found, request, approvedAt);
  if (await recommendations.approve(key, approval))
    return { ...found, status: 'approved', approval };
  const latest = await recommendations.find(key);
  if (latest && isApprovedFor(latest, targetProvider)) return latest;
  throw new AppError('recommendation_not_open');
}

/** @throws AppError `recommendation_not_approvable`, `invalid_request` */
function requireMove({ kind }: RecommendationRecord, targetProvider: ProviderName): void {
  if (kind !== 'move') throw new AppError('recommendation_not_approvable');
  if (targetProvider !== SCANNED_PROVIDER) return;
  const { title } = CATALOGUE[SCANNED_PROVIDER];
  throw invalidTarget(`must be another provider than ${title}, where the objects are`);
}

function isApprovedFor(
  found: RecommendationRecord,
  targetProvider: ProviderName,
): found is ApprovedRecommendation {
  return found.approval?.targetProvider === targetProvider;
}

/** @throws AppError `invalid_request`, `provider_not_configured` */
function newApproval(
  account: Account,
  { bucket, region, options }: RecommendationRecord,
  { targetProvider, approvedBy, requestId }: ApprovalRequest,
  approvedAt: Date,
): Approval {
  const option = options.find(({ provider }) => provider === targetProvider);
  if (!option) throw invalidTarget('is none of the options');
  return {
    targetProvider,
    quote: option.quote,
    approvedBy,
    requestId,
    approvedAt,
    source: { ...requireProvider(account, SCANNED_PROVIDER).location, bucketName: bucket, region },
    target: requireProvider(account, targetProvider).location,
  };
}

function invalidTarget(message: string): AppError {
  const details = [{ path: '/targetProvider', message }];
  return new AppError('invalid_request', undefined, { details });
}
