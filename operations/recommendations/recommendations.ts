import type { RecommendationFilter } from '../../adapters/mongo/recommendations/account-lists.ts';
import type { Listed, Page } from '../../adapters/mongo/common/pages.ts';
import { STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import type { DecisionBasis } from '../../adapters/mongo/scans/scans.ts';
import { requireProvider, type Account } from '../../domain/accounts/account.ts';
import { describeActivity, type Actor } from '../../domain/accounts/activity.ts';
import { AppError } from '../../domain/common/errors.ts';
import { addSeconds } from '../../domain/common/time.ts';
import {
  recommendationSubject,
  type RecommendationRecord,
  sourceOf,
} from '../../domain/recommendations/recommendation.ts';
import { findSourcePlace } from '../connections/source-place.ts';
import { keyPrefixOf } from '../../domain/decision/types.ts';
import type { Deps } from '../common/deps.ts';
import {
  showRecommendations,
  type RecommendationContextDeps,
  type ShownRecommendation,
} from './recommendation-context.ts';

export type RecommendationDeps = RecommendationContextDeps &
  Deps<
    'stores' | 'accountLists' | 'connections' | 'scans' | 'activities' | 'now' | 'onBackgroundError'
  >;

/** A recommendation, and what the decision of its scan is based on. */
export interface RecommendationInScan {
  readonly shown: ShownRecommendation;
  /** Undefined if the decision report is switched off. */
  readonly basis: DecisionBasis | undefined;
}

/** The account's recommendations over all of its scans, the largest savings first. */
export async function listRecommendations(
  deps: RecommendationDeps,
  account: Account,
  { limit, offset, ...filter }: Page & Omit<RecommendationFilter, 'accountId'>,
): Promise<Listed<ShownRecommendation>> {
  const now = deps.now();
  const page = { limit, offset };
  const of = { accountId: account.accountId, ...filter };
  const listed = await deps.accountLists.recommendations(of, now, page);
  return { ...listed, items: await showRecommendations(deps, account, listed.items, now) };
}

/** @throws AppError `recommendation_not_found` */
export async function getRecommendation(
  deps: RecommendationDeps,
  account: Account,
  recommendationId: string,
): Promise<RecommendationInScan> {
  const recommendation = await findRecommendation(deps, account, recommendationId);
  const [basis, [shown]] = await Promise.all([
    deps.scans.findDecisionBasis(recommendation),
    showRecommendations(deps, account, [recommendation], deps.now()),
  ]);
  if (!shown) throw new AppError('recommendation_not_found');
  return { shown, basis };
}

/** For how long an answer is not to be shown, and why. */
export interface DismissRequest {
  readonly days: number;
  readonly reason: string;
}

/**
 * Dismisses a recommendation, and those for the same objects that later scans make, for some days.
 * It stays open.
 *
 * @throws AppError `recommendation_not_found`
 */
export async function dismissRecommendation(
  deps: RecommendationDeps,
  account: Account,
  actor: Actor,
  recommendationId: string,
  { days, reason }: DismissRequest,
): Promise<RecommendationInScan> {
  const recommendation = await findRecommendation(deps, account, recommendationId);
  const at = deps.now();
  const dismissal = { until: addSeconds(at, days * 86_400), reason, by: actor.person, at };
  const activity = describeActivity(actor, 'recommendation.dismissed', recommendationId, at);
  const subject = recommendationSubject(recommendation);
  await deps.dismissals.saveDismissal(subject, dismissal, activity);
  await deps.activities.publish('dismissals', subject).catch(deps.onBackgroundError);
  return await getRecommendation(deps, account, recommendationId);
}

/** Ends a dismissal. No effect if there is none. @throws AppError `recommendation_not_found` */
export async function restoreRecommendation(
  deps: RecommendationDeps,
  account: Account,
  actor: Actor,
  recommendationId: string,
): Promise<RecommendationInScan> {
  const recommendation = await findRecommendation(deps, account, recommendationId);
  const activity = describeActivity(actor, 'recommendation.restored', recommendationId, deps.now());
  const subject = recommendationSubject(recommendation);
  if (await deps.dismissals.end(subject, activity))
    await deps.activities.publish('dismissals', subject).catch(deps.onBackgroundError);
  return await getRecommendation(deps, account, recommendationId);
}

/**
 * The first key that a recommendation selects, read with the stored credentials of the source; null
 * if there is none.
 *
 * @throws AppError `recommendation_not_found`, `provider_not_configured`, `provider_error`
 */
export async function findExampleKey(
  deps: RecommendationDeps,
  account: Account,
  recommendationId: string,
): Promise<string | null> {
  const recommendation = await findRecommendation(deps, account, recommendationId);
  const { bucket, region, selector } = recommendation;
  const location =
    (await findSourcePlace(deps, account, recommendation)) ??
    requireProvider(account, sourceOf(recommendation)).location;
  const scanned = { ...location, bucketName: bucket, region };
  const source = await deps.stores.at(account, scanned, location);
  const request = { prefix: keyPrefixOf(selector), after: null, maxKeys: 1 };
  const options = { timeoutMs: STORE_CALLS.api.callMs };
  try {
    const { entries } = await source.list(request, options);
    return entries[0]?.key ?? null;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw deps.stores.toProviderError(location, error);
  }
}

async function findRecommendation(
  { recommendations }: RecommendationDeps,
  { accountId }: Account,
  recommendationId: string,
): Promise<RecommendationRecord> {
  const recommendation = await recommendations.findRecommendation({ recommendationId, accountId });
  if (!recommendation) throw new AppError('recommendation_not_found');
  return recommendation;
}
