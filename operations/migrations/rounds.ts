import type { Account } from '../../domain/accounts/account.ts';
import { describeActivity, type Actor } from '../../domain/accounts/activity.ts';
import { entitle } from '../../domain/accounts/entitlement.ts';
import { AppError } from '../../domain/common/errors.ts';
import { isEnded } from '../../domain/migrations/migration.ts';
import { latestRound, MAX_ROUNDS } from '../../domain/migrations/rounds.ts';
import {
  isTooLarge,
  sizeMessage,
  migrationKeyOf,
} from '../../domain/recommendations/recommendation.ts';
import type { ApprovedRecommendation } from '../../adapters/mongo/recommendations/recommendations.ts';
import { openBoth } from './stores.ts';
import { requireTurn, takeTargetTurn, type TurnDeps } from './turns.ts';
import type { ApprovalDeps } from './approval.ts';
import {
  findApproved,
  getMigration,
  type MigrationDeps,
  type MigrationSnapshot,
} from './migrations.ts';

export type RoundDeps = MigrationDeps &
  TurnDeps &
  Pick<ApprovalDeps, 'plans' | 'stores' | 'migrationMaxBytes'>;

export interface RoundOptions {
  readonly maxTotalUsd: number;
  readonly removeAtMost: number;
}

/**
 * Starts the next round of a migration: the source is listed again, and what earlier rounds have
 * not copied as it is now is copied. The request is stored first; if the workflow cannot be started
 * then, the sweep starts it.
 *
 * @throws AppError `migration_not_found`, `migration_running`, `target_prefix_taken`,
 * `too_many_rounds`, `migration_too_large`, `plan_limit`, `provider_not_configured`
 */
export async function startRound(
  deps: RoundDeps,
  account: Account,
  actor: Actor,
  migrationId: string,
  options: RoundOptions,
): Promise<MigrationSnapshot> {
  const approved = await findApproved(deps, account, migrationId);
  const key = { migrationId, accountId: account.accountId };
  const latest = latestRound(approved.approval);
  await requireEnded(deps, approved);
  if (latest >= MAX_ROUNDS) throw new AppError('too_many_rounds');
  const { migrationMaxBytes } = deps;
  if (isTooLarge(approved, migrationMaxBytes))
    throw new AppError('migration_too_large', sizeMessage(approved, migrationMaxBytes));
  await requireTurn(deps, approved, deps.now());
  await requireAllowed(deps, account, approved);
  const { person, requestId } = actor;
  const requestedAt = deps.now();
  const round = {
    number: latest + 1,
    ...options,
    ...(Number.isFinite(migrationMaxBytes) ? { maxBytes: migrationMaxBytes } : {}),
    startedBy: person.subject,
    startedByName: person.name,
    requestedAt,
    requestId,
  };
  await takeTargetTurn(deps, approved, { kind: 'round', round: round.number }, deps.now());
  const activity = describeActivity(actor, 'migration.round_started', migrationId, requestedAt);
  if (!(await deps.recommendations.requestRound(key, round, activity)))
    throw new AppError('migration_running');
  const started = await findApproved(deps, account, migrationId);
  await deps.migrationCommands.approve(started).catch(deps.onBackgroundError);
  await deps.activities.publish('recommendations', migrationId).catch(deps.onBackgroundError);
  return await getMigration(deps, account, migrationId);
}

/** @throws AppError `migration_running` unless the latest round has ended */
export async function requireEnded(
  { migrations }: Pick<MigrationDeps, 'migrations'>,
  approved: ApprovedRecommendation,
): Promise<void> {
  const { approval } = approved;
  const { migrationId, accountId } = migrationKeyOf(approved);
  const record = await migrations.findMigration({ migrationId, accountId });
  if (record?.round !== latestRound(approval) || !isEnded(record.status))
    throw new AppError('migration_running');
}

/** As at the approval. @throws AppError `plan_limit`, `provider_not_configured` */
async function requireAllowed(
  { plans, stores }: Pick<ApprovalDeps, 'plans' | 'stores'>,
  account: Account,
  approved: ApprovedRecommendation,
): Promise<void> {
  entitle(account.plan, plans[account.plan], { what: 'migration' });
  await openBoth({ stores }, account, approved);
}
