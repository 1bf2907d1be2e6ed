import { migrationKeyOf } from '../../domain/recommendations/recommendation.ts';
import type { ApprovedRecommendation } from '../../adapters/mongo/recommendations/recommendations.ts';
import type { TargetClaim, Turn } from '../../adapters/mongo/migrations/target-claims.ts';
import { AppError } from '../../domain/common/errors.ts';
import { settledObjects } from '../../domain/migrations/counts.ts';
import { isEnded, type MigrationRecord } from '../../domain/migrations/migration.ts';
import { latestRound } from '../../domain/migrations/rounds.ts';
import {
  isOverlapping,
  placeId,
  sourceId,
  type PlaceAtTarget,
} from '../../domain/migrations/target-place.ts';
import type { Deps } from '../common/deps.ts';
import type { RecommendationRecord } from '../../domain/recommendations/recommendation.ts';

export type TurnDeps = Deps<
  'temporal' | 'targetClaims' | 'recommendations' | 'migrations' | 'releases'
>;

/** A migration that is about to run, or to be checked, at its place. */
export type Asking = Pick<
  ApprovedRecommendation,
  'recommendationId' | 'accountId' | 'cloudAccountId' | 'selector'
> & { readonly approval: PlaceAtTarget & Pick<ApprovedRecommendation['approval'], 'source'> };

/** What the migration is about to do. */
export type TurnKind =
  { readonly kind: 'approval' | 'release' } | { readonly kind: 'round'; readonly round: number };

/** A turn without an effect for this long is lost: no call of the API lasts longer. */
const LOST_AFTER_MS = 60_000;
const MAX_ATTEMPTS = 20;

/**
 * Takes the place of a migration at its target, before what it is about to do is stored. A place
 * belongs to the migrations of one source, from an approval on, unless they ended without a ledger
 * line. Migrations with keys in common run or are checked one at a time.
 *
 * | at the place                                   | answer                |
 * | ---------------------------------------------- | --------------------- |
 * | nothing, or this migration alone               | it is taken           |
 * | another source's, approved or about to be      | `target_prefix_taken` |
 * | another source's, that have all left no line   | it is taken           |
 * | the same source's, with common keys, that run  | `migration_running`   |
 * | the same source's, others                      | it is taken           |
 *
 * While Temporal is away nothing is taken: what the caller stores next could not begin.
 *
 * @throws AppError `target_prefix_taken`, `migration_running`, `unavailable`
 */
export async function takeTargetTurn(
  deps: TurnDeps,
  asking: Asking,
  kind: TurnKind,
  now: Date,
): Promise<void> {
  const { selector } = asking;
  const { migrationId } = migrationKeyOf(asking);
  await deps.temporal.ping().catch((cause: unknown) => {
    throw new AppError('unavailable', undefined, { cause });
  });
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const { claim, others } = await readClaim(deps, asking, now);
    const turn: Turn = { ...kind, migrationId, prefix: selector.prefix, at: now };
    const taken = { ...claim, turns: [...others, turn], revision: claim.revision + 1 };
    if (await deps.targetClaims.saveClaim(taken)) return;
  }
  throw new AppError('unavailable');
}

/** The same refusals, and nothing is stored. */
export async function requireTurn(deps: TurnDeps, asking: Asking, now: Date): Promise<void> {
  await readClaim(deps, asking, now);
}

/** The claim as it is for this migration, with the turns of the others that count. */
async function readClaim(
  deps: TurnDeps,
  asking: Asking,
  now: Date,
): Promise<{ readonly claim: TargetClaim; readonly others: readonly Turn[] }> {
  const { accountId, recommendationId, selector } = asking;
  const own = sourceId(asking);
  const claimId = placeId(accountId, asking.approval);
  const stored = await deps.targetClaims.findClaim(claimId);
  const claim = stored ?? { claimId, sourceId: own, turns: [], revision: 0 };
  const running: Turn[] = [];
  let idle: Turn | undefined;
  for (const turn of claim.turns) {
    const { migrationId } = turn;
    if (migrationId === recommendationId) continue;
    const state = await stateOf(deps, accountId, claimId, turn, now);
    if (state === 'gone') continue;
    if (claim.sourceId !== own) throw refusal('target_prefix_taken', migrationId);
    if (state === 'running' && isOverlapping(turn.prefix, selector.prefix))
      throw refusal('migration_running', migrationId);
    if (state === 'running') running.push(turn);
    else idle = turn;
  }
  // One that has ended is enough to hold the place.
  return { claim: { ...claim, sourceId: own }, others: [...(idle ? [idle] : []), ...running] };
}

/** `gone`: it was never approved here, or has ended without a line. */
async function stateOf(
  deps: TurnDeps,
  accountId: string,
  claimId: string,
  turn: Turn,
  now: Date,
): Promise<'gone' | 'running' | 'idle'> {
  const key = { migrationId: turn.migrationId, accountId };
  const [recommended, record, release] = await Promise.all([
    deps.recommendations.findApproved(key),
    deps.migrations.findMigration(key),
    deps.releases.findRelease(key),
  ]);
  const approved =
    recommended && placeId(accountId, recommended.approval) === claimId ? recommended : undefined;
  const isStored =
    approved !== undefined &&
    (turn.kind === 'round'
      ? latestRound(approved.approval) >= turn.round
      : turn.kind === 'approval' || (release !== undefined && release.requestedAt >= turn.at));
  if (!isStored && now.getTime() - turn.at.getTime() < LOST_AFTER_MS) return 'running';
  if (!approved) return 'gone';
  if (release?.status === 'checking') return 'running';
  if (record?.round !== latestRound(approved.approval) || !isEnded(record.status)) return 'running';
  return hasLines(record) ? 'idle' : 'gone';
}

function hasLines({ earlierRounds, finalCounts }: MigrationRecord): boolean {
  const rounds = [
    ...earlierRounds.map(({ counts }) => counts),
    ...(finalCounts ? [finalCounts] : []),
  ];
  return rounds.some((counts) => settledObjects(counts) > 0);
}

function refusal(
  code: 'target_prefix_taken' | 'migration_running',
  migrationId: RecommendationRecord['recommendationId'],
): AppError {
  return new AppError(code, undefined, {
    details: [{ path: '/migrationId', message: migrationId }],
  });
}
