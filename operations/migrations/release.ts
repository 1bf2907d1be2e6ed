import { migrationKeyOf } from '../../domain/recommendations/recommendation.ts';
import { randomUUID } from 'node:crypto';
import type { ApprovedRecommendation } from '../../adapters/mongo/recommendations/recommendations.ts';
import type { KeyDifference, Releases } from '../../adapters/mongo/migrations/releases.ts';
import type { ReleaseCommands } from '../../adapters/temporal/release-commands.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { describeActivity, type Actor } from '../../domain/accounts/activity.ts';
import { AppError } from '../../domain/common/errors.ts';
import { addSeconds } from '../../domain/common/time.ts';
import type { MigrationError } from '../../domain/migrations/migration.ts';
import {
  RELEASE_HOURS,
  ROUND_SINCE,
  ROUTED,
  type Release,
  type ReleasedObject,
} from '../../domain/migrations/release.ts';
import { latestRound } from '../../domain/migrations/rounds.ts';
import { openBoth } from './stores.ts';
import { takeTargetTurn, type TurnDeps } from './turns.ts';
import { holdsRoutedFiles, type RoutedDeps } from '../uploads/routed.ts';
import type { ApprovalDeps } from './approval.ts';
import { findApproved, type MigrationDeps } from './migrations.ts';
import { requireEnded } from './rounds.ts';

export type ReleaseDeps = MigrationDeps &
  TurnDeps &
  RoutedDeps &
  Pick<ApprovalDeps, 'stores'> & {
    readonly releases: Releases;
    readonly releaseCommands: ReleaseCommands;
  };

/** The latest check of a migration's source, at one moment. */
export interface ReleaseSnapshot {
  readonly approved: ApprovedRecommendation;
  readonly release: Release;
  /** What is proven may be deleted: the check is ready, not too old, and no round came after. */
  readonly isValid: boolean;
  readonly firstDifferences: readonly KeyDifference[];
}

/** All of them are counted; this many are listed. */
const MAX_DIFFERENCES = 100;

/**
 * Begins a check whether the source can be given up, in place of the last one. A check that runs
 * already goes on.
 *
 * @throws AppError `migration_not_found`, `migration_running`, `target_prefix_taken`,
 * `provider_not_configured`
 */
export async function beginRelease(
  deps: ReleaseDeps,
  account: Account,
  actor: Actor,
  migrationId: string,
): Promise<ReleaseSnapshot> {
  const approved = await findApproved(deps, account, migrationId);
  await requireEnded(deps, approved);
  await openBoth(deps, account, approved);
  const latest = await deps.releases.findRelease({ migrationId, accountId: account.accountId });
  const release = latest?.status === 'checking' ? latest : await begin(deps, approved, actor);
  // If its workflow cannot be started, the sweep starts it.
  await deps.releaseCommands.startRelease(release).catch(deps.onBackgroundError);
  await deps.activities.publish('releases', migrationId).catch(deps.onBackgroundError);
  return toSnapshot(deps, approved, release);
}

async function begin(
  deps: ReleaseDeps,
  approved: ApprovedRecommendation,
  actor: Actor,
): Promise<Release> {
  const { approval } = approved;
  const { migrationId, accountId } = migrationKeyOf(approved);
  const requestedAt = deps.now();
  await takeTargetTurn(deps, approved, { kind: 'release' }, requestedAt);
  return await deps.releases.begin(
    {
      releaseId: randomUUID(),
      migrationId,
      accountId,
      round: latestRound(approval),
      startedBy: actor.person.subject,
      startedByName: actor.person.name,
      requestedAt,
    },
    describeActivity(actor, 'release.checked', migrationId, requestedAt),
  );
}

/** @throws AppError `migration_not_found`, `release_not_found` */
export async function getRelease(
  deps: ReleaseDeps,
  account: Account,
  migrationId: string,
): Promise<ReleaseSnapshot> {
  const approved = await findApproved(deps, account, migrationId);
  const release = await deps.releases.findRelease({ migrationId, accountId: account.accountId });
  if (!release) throw new AppError('release_not_found');
  return toSnapshot(deps, approved, release);
}

/**
 * The objects that may be deleted at the source, behind a key, in the order of their keys.
 *
 * @throws AppError `migration_not_found`, `release_not_found`, `release_not_ready`
 */
export async function readReleasedObjects(
  deps: ReleaseDeps,
  account: Account,
  migrationId: string,
  after: string | null,
): Promise<AsyncIterable<readonly ReleasedObject[]>> {
  const { release, isValid } = await getRelease(deps, account, migrationId);
  if (!isValid) throw new AppError('release_not_ready', release.error?.message);
  return deps.releases.objects(release.releaseId, after);
}

/** Until when the result of a check holds. */
export function validUntil({ checkedAt }: Release): Date | null {
  return checkedAt && addSeconds(checkedAt, RELEASE_HOURS * 3_600);
}

async function toSnapshot(
  deps: ReleaseDeps,
  approved: ApprovedRecommendation,
  stored: Release,
): Promise<ReleaseSnapshot> {
  const firstDifferences = await deps.releases.firstDifferences(stored.releaseId, MAX_DIFFERENCES);
  const error = await findOutdated(deps, approved, stored);
  const release = error ? { ...stored, status: 'not_ready' as const, error } : stored;
  const until = validUntil(release);
  const isValid = release.status === 'ready' && until !== null && deps.now() < until;
  return { approved, release, isValid, firstDifferences };
}

/** Why what was ready is not ready by now; null: nothing but its age may end it. */
async function findOutdated(
  deps: ReleaseDeps,
  { approval, selector }: ApprovedRecommendation,
  { status, round, accountId }: Release,
): Promise<MigrationError | null> {
  if (status !== 'ready') return null;
  if (round !== latestRound(approval)) return ROUND_SINCE;
  const isRouted = await holdsRoutedFiles(deps, accountId, approval.source, selector.prefix);
  return isRouted ? ROUTED : null;
}
