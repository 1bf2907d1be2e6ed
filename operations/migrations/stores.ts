import type { ApprovedRecommendation } from '../../adapters/mongo/recommendations/recommendations.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { placesOf } from '../../domain/migrations/migration.ts';

/** With the credentials of the approved places. @throws AppError `provider_not_configured` */
export async function openBoth(
  { stores }: { readonly stores: AccountStores },
  account: Account,
  { approval }: Pick<ApprovedRecommendation, 'approval'>,
): Promise<{ readonly source: ObjectStore; readonly target: ObjectStore }> {
  const places = placesOf(account, approval);
  return {
    source: await stores.at(account, approval.source, places.source),
    target: await stores.at(account, approval.target, places.target),
  };
}
