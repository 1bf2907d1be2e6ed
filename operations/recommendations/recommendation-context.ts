import type { Account } from '../../domain/accounts/account.ts';
import type { Deps } from '../common/deps.ts';
import {
  recommendationStatusAt,
  recommendationSubject,
  type RecommendationContext,
  type RecommendationRecord,
  withKeyConflicts,
  withSizeBlocker,
} from '../../domain/recommendations/recommendation.ts';

export type RecommendationContextDeps = Deps<
  'recommendations' | 'dismissals' | 'migrationMaxBytes' | 'catalogue'
>;

/** A recommendation as a caller sees it. */
export interface ShownRecommendation extends RecommendationContext {
  readonly recommendation: RecommendationRecord;
  /** It is shown as expired if it expired before this time. */
  readonly now: Date;
}

/** Adds what came after each recommendation, whether it was dismissed, and what blocks it. */
export async function showRecommendations(
  deps: RecommendationContextDeps,
  { providers }: Pick<Account, 'providers'>,
  records: readonly RecommendationRecord[],
  now: Date,
): Promise<readonly ShownRecommendation[]> {
  if (records.length === 0) return [];
  const [newer, dismissals] = await Promise.all([
    Promise.all(records.map((each) => findNewer(deps, each, now))),
    deps.dismissals.findDismissals(records.map(recommendationSubject), now),
  ]);
  return records.map((each, at) => ({
    recommendation: withKeyConflicts(
      withSizeBlocker(each, deps.migrationMaxBytes),
      providers,
      deps.catalogue.titleOf,
    ),
    supersededBy: newer[at] ?? null,
    dismissal: dismissals.get(recommendationSubject(each)) ?? null,
    now,
  }));
}

/** What came after a recommendation that is no longer open. */
export async function findNewer(
  { recommendations }: Pick<RecommendationContextDeps, 'recommendations'>,
  recommendation: RecommendationRecord,
  now: Date,
): Promise<string | undefined> {
  if (recommendationStatusAt(recommendation, now) === 'open') return undefined;
  return await recommendations.findNewer(recommendation);
}
