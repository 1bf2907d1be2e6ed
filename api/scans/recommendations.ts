import type {
  AccountLists,
  Listed,
  Page,
  RecommendationFilter,
} from '../../adapters/mongo/account-lists.ts';
import type { Recommendations } from '../../adapters/mongo/recommendations.ts';
import type { DecisionBasis, Scans } from '../../adapters/mongo/scans.ts';
import type { Account } from '../../domain/account/account.ts';
import { AppError } from '../../domain/common/errors.ts';
import {
  type RecommendationRecord,
  withSizeBlocker,
} from '../../domain/recommendation/recommendation.ts';

export interface RecommendationDeps {
  readonly accountLists: Pick<AccountLists, 'recommendations'>;
  readonly recommendations: Pick<Recommendations, 'find'>;
  readonly scans: Pick<Scans, 'findDecisionBasis'>;
  readonly migrationMaxBytes: number;
  readonly now: () => Date;
}

/** One page of recommendations. */
export interface ListedRecommendations extends Listed<RecommendationRecord> {
  /** Recommendations that expired before this time are shown as expired. */
  readonly now: Date;
}

/** A recommendation, and what the decision of its scan is based on. */
export interface RecommendationInScan {
  readonly recommendation: RecommendationRecord;
  /** Undefined if the decision report is switched off. */
  readonly basis: DecisionBasis | undefined;
  readonly now: Date;
}

/** The account's recommendations over all of its scans, the largest savings first. */
export async function listRecommendations(
  { accountLists, migrationMaxBytes, now: clock }: RecommendationDeps,
  { accountId }: Account,
  { limit, offset, ...filter }: Page & Omit<RecommendationFilter, 'accountId'>,
): Promise<ListedRecommendations> {
  const now = clock();
  const page = { limit, offset };
  const listed = await accountLists.recommendations({ accountId, ...filter }, now, page);
  const items = listed.items.map((each) => withSizeBlocker(each, migrationMaxBytes));
  return { ...listed, items, now };
}

/** @throws AppError `recommendation_not_found` */
export async function getRecommendation(
  { recommendations, scans, migrationMaxBytes, now }: RecommendationDeps,
  { accountId }: Account,
  recommendationId: string,
): Promise<RecommendationInScan> {
  const found = await recommendations.find({ recommendationId, accountId });
  if (!found) throw new AppError('recommendation_not_found');
  const basis = await scans.findDecisionBasis(found);
  const recommendation = withSizeBlocker(found, migrationMaxBytes);
  return { recommendation, basis, now: now() };
}
