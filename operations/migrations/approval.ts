import type { ApprovedRecommendation } from '../../adapters/mongo/recommendations/recommendations.ts';
import { measuredAt, requireProvider, type Account } from '../../domain/accounts/account.ts';
import { describeActivity, type Actor } from '../../domain/accounts/activity.ts';
import {
  requireKnown,
  type ProviderName,
  type StoreLocation,
} from '../../domain/providers/catalogue.ts';
import { entitle } from '../../domain/accounts/entitlement.ts';
import { AppError, invalidField } from '../../domain/common/errors.ts';
import { defaultKeyPrefix, secondKeyPrefix } from '../../domain/migrations/copying.ts';
import type { Approval } from '../../domain/migrations/migration.ts';
import {
  isTooLarge,
  type RecommendationRecord,
  sizeMessage,
  sourceOf,
  migrationKeyOf,
} from '../../domain/recommendations/recommendation.ts';
import { approvedMigration } from '../../domain/webhooks/event.ts';
import { requireTurn, takeTargetTurn, type TurnDeps } from './turns.ts';
import { findSourcePlace } from '../connections/source-place.ts';
import { tryTarget } from './target-trial.ts';
import { holdsRoutedFiles, type RoutedDeps } from '../uploads/routed.ts';
import { openBoth } from './stores.ts';
import type { Deps } from '../common/deps.ts';
import { findNewer } from '../recommendations/recommendation-context.ts';

export type ApprovalDeps = TurnDeps &
  RoutedDeps &
  Deps<'activities' | 'connections' | 'migrationCommands' | 'catalogue' | 'stores' | 'plans'> &
  Deps<'migrationMaxBytes' | 'now' | 'onBackgroundError'>;

/** Where the objects go at the provider. */
export interface RequestedTarget {
  readonly bucketName: string;
  readonly keyPrefix: string;
}

export interface ApprovalRequest {
  readonly recommendationId: string;
  readonly targetProvider: ProviderName;
  /** Default: the provider's bucket, below the name of the source's. */
  readonly target?: RequestedTarget;
}

/** At most, in bytes. */
const MAX_PREFIX_BYTES = 1_000;

/**
 * Approves a recommended move to one target and signals its workflow. An equal repeat gives the
 * same answer, and signals again until the migration has begun. The migration keeps the places that
 * are configured now.
 *
 * @throws AppError `recommendation_not_found`, `recommendation_not_approvable`, `invalid_request`,
 * `recommendation_not_open`, `migration_too_large`, `target_prefix_taken`, `migration_running`,
 * `plan_limit`, `provider_not_configured`, `provider_not_usable`
 */
export async function approveMigration(
  deps: ApprovalDeps,
  account: Account,
  actor: Actor,
  request: ApprovalRequest,
): Promise<ApprovedRecommendation> {
  const approved = await approve(deps, account, actor, request).catch((error: unknown) => {
    // Another source's migration took the default place meanwhile; there is a second one.
    if (request.target || !isTaken(error)) throw error;
    return approve(deps, account, actor, request);
  });
  const key = migrationKeyOf(approved);
  if (await deps.migrations.findMigration(key)) return approved;
  // If its workflow cannot be signalled, the approval stays valid, and the sweep signals again.
  await deps.migrationCommands.approve(approved).catch(deps.onBackgroundError);
  await deps.activities
    .publish('recommendations', approved.recommendationId)
    .catch(deps.onBackgroundError);
  return approved;
}

/** Checks in the fixed order of refusals; the conditional write decides. */
async function approve(
  deps: ApprovalDeps,
  account: Account,
  actor: Actor,
  request: ApprovalRequest,
): Promise<ApprovedRecommendation> {
  const { recommendations, plans, migrationMaxBytes, now } = deps;
  const { recommendationId, targetProvider } = request;
  const key = { recommendationId, accountId: account.accountId };
  requirePrefix(request.target);
  requireKnown(deps.catalogue, targetProvider, '/targetProvider');
  const recommendation = await recommendations.findRecommendation(key);
  if (!recommendation) throw new AppError('recommendation_not_found');
  requireMove(deps, recommendation, targetProvider);
  if (isApprovedFor(recommendation, request)) return recommendation;
  const approvedAt = now();
  if (recommendation.status !== 'open' || recommendation.expiresAt <= approvedAt)
    throw await notOpen(deps, recommendation, approvedAt);
  if (isTooLarge(recommendation, migrationMaxBytes))
    throw new AppError('migration_too_large', sizeMessage(recommendation, migrationMaxBytes));
  const from = await findSourcePlace(deps, account, recommendation);
  await requireNotRouted(deps, account, recommendation, from);
  const keyPrefix = await choosePrefix(deps, account, recommendation, request, {
    from,
    now: approvedAt,
  });
  entitle(account.plan, plans[account.plan], { what: 'migration' });
  const approval = newApproval(account, recommendation, actor, request, {
    approvedAt,
    keyPrefix,
    from,
  });
  await requireUsable(deps, account, approval);
  await takeTargetTurn(deps, { ...recommendation, approval }, { kind: 'approval' }, now());
  const activity = describeActivity(actor, 'migration.approved', recommendationId, approvedAt);
  const event = approvedMigration(recommendation, approval);
  if (await recommendations.approve(key, approval, activity, [event]))
    return { ...recommendation, status: 'approved', approval };
  const latest = await recommendations.findRecommendation(key);
  if (latest && isApprovedFor(latest, request)) return latest;
  throw await notOpen(deps, latest ?? recommendation, approvedAt);
}

/** The service reads its own files there. @throws AppError `recommendation_not_approvable` */
async function requireNotRouted(
  deps: ApprovalDeps,
  { accountId }: Account,
  { bucket, region, selector, ...recommendation }: RecommendationRecord,
  from: StoreLocation | undefined,
): Promise<void> {
  const location = { ...from, provider: sourceOf(recommendation), bucketName: bucket, region };
  if (!(await holdsRoutedFiles(deps, accountId, location, selector.prefix))) return;
  const message =
    'What it covers holds files of this service: uploads that it has routed there, and reads there.';
  throw new AppError('recommendation_not_approvable', message);
}

/**
 * The prefix of the keys at the target: the one that the request names, or the first default that
 * belongs to no other source's migration. Undefined: a store is not configured, which is refused
 * later.
 *
 * @throws AppError `target_prefix_taken`, `migration_running`
 */
async function choosePrefix(
  deps: ApprovalDeps,
  account: Account,
  recommendation: RecommendationRecord,
  { targetProvider, target: place }: ApprovalRequest,
  { from, now }: { readonly from: StoreLocation | undefined; readonly now: Date },
): Promise<string | undefined> {
  const to = account.providers[targetProvider]?.location;
  if (!from || !to) return undefined;
  const { bucket, region } = recommendation;
  const source = { ...from, bucketName: bucket, region };
  const target = { ...to, bucketName: place?.bucketName ?? to.bucketName };
  const [first, second] = [defaultKeyPrefix(bucket), secondKeyPrefix(from.provider, bucket)];
  const require = async (keyPrefix: string) => {
    await requireTurn(deps, { ...recommendation, approval: { source, target, keyPrefix } }, now);
    return keyPrefix;
  };
  if (place) return await require(place.keyPrefix);
  return await require(first).catch((error: unknown) => {
    if (!isTaken(error)) throw error;
    return require(second);
  });
}

function isTaken(error: unknown): boolean {
  return error instanceof AppError && error.code === 'target_prefix_taken';
}

async function notOpen(
  deps: Pick<ApprovalDeps, 'recommendations'>,
  recommendation: RecommendationRecord,
  now: Date,
): Promise<AppError> {
  const newer = await findNewer(deps, recommendation, now);
  const details = newer === undefined ? [] : [{ path: '/supersededBy', message: newer }];
  return new AppError('recommendation_not_open', undefined, details.length > 0 ? { details } : {});
}

/** @throws AppError `recommendation_not_approvable`, `invalid_request` */
function requireMove(
  { catalogue }: Pick<ApprovalDeps, 'catalogue'>,
  recommendation: RecommendationRecord,
  targetProvider: ProviderName,
): void {
  if (recommendation.kind !== 'move') throw new AppError('recommendation_not_approvable');
  const source = sourceOf(recommendation);
  if (targetProvider !== source) return;
  const title = catalogue.titleOf(source);
  throw invalidField(
    '/targetProvider',
    `must be another provider than ${title}, where the objects are`,
  );
}

/** The schema counts characters. @throws AppError `invalid_request` */
function requirePrefix(target: RequestedTarget | undefined): void {
  if (target && Buffer.byteLength(target.keyPrefix) > MAX_PREFIX_BYTES)
    throw invalidField('/target/keyPrefix', `must have at most ${MAX_PREFIX_BYTES} bytes`);
}

/** Whether it is approved for the place of the request, or else for the default of that time. */
function isApprovedFor(
  recommendation: RecommendationRecord,
  { targetProvider, target: place }: ApprovalRequest,
): recommendation is ApprovedRecommendation {
  const { approval } = recommendation;
  if (approval?.targetProvider !== targetProvider) return false;
  if (!place) return approval.isDefaultPlace;
  return approval.target.bucketName === place.bucketName && approval.keyPrefix === place.keyPrefix;
}

/** @throws AppError `invalid_request`, `provider_not_configured` */
function newApproval(
  account: Account,
  recommendation: RecommendationRecord,
  { person, requestId }: Actor,
  { targetProvider, target: place }: ApprovalRequest,
  {
    approvedAt,
    keyPrefix,
    from,
  }: {
    readonly approvedAt: Date;
    readonly keyPrefix: string | undefined;
    readonly from: StoreLocation | undefined;
  },
): Approval {
  const { bucket, region } = recommendation;
  const option = recommendation.options.find(({ provider }) => provider === targetProvider);
  if (!option) throw invalidField('/targetProvider', 'is none of the options');
  const source = from ?? requireProvider(account, sourceOf(recommendation)).location;
  const { location } = requireProvider(account, targetProvider);
  const { bucketName } = place ?? location;
  const first = defaultKeyPrefix(bucket);
  return {
    targetProvider,
    quote: option.quote,
    approvedBy: person.subject,
    approvedByName: person.name,
    requestId,
    approvedAt,
    source: { ...source, bucketName: bucket, region },
    target: { ...location, bucketName },
    places: { source, target: location },
    keyPrefix: keyPrefix ?? first,
    isDefaultPlace: !place || (bucketName === location.bucketName && keyPrefix === first),
  };
}

/**
 * Tries the target with small objects.
 *
 * @throws AppError `provider_not_usable`, `invalid_request` if source and target are one bucket
 * under two names
 */
async function requireUsable(
  deps: ApprovalDeps,
  account: Account,
  approval: Approval,
): Promise<void> {
  const { target, keyPrefix } = approval;
  const { source: from, target: store } = await openBoth(deps, account, { approval });
  const capabilities = measuredAt(account, target);
  const { failure, isSource } = await tryTarget(from, { store, keyPrefix, capabilities });
  if (isSource)
    throw invalidField(
      '/targetProvider',
      'is the bucket where the objects are, under another name',
    );
  if (failure === null) return;
  const title = deps.catalogue.titleOf(target.provider);
  const message = `${title} (${target.provider}), bucket ${target.bucketName}: ${failure}.`;
  throw new AppError('provider_not_usable', message);
}
