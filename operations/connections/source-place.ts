import type { Connections } from '../../adapters/mongo/connections/connections.ts';
import type { Account } from '../../domain/accounts/account.ts';
import type { StoreLocation } from '../../domain/providers/catalogue.ts';
import {
  sourceOf,
  type RecommendationRecord,
} from '../../domain/recommendations/recommendation.ts';
import { isRole } from '../../domain/connections/connection.ts';

/**
 * The place whose credentials read the objects of a recommendation: the one at which its store was
 * connected, or the provider's current one. Undefined if the provider is not configured.
 */
export async function findSourcePlace(
  { connections }: { readonly connections: Pick<Connections, 'findConnection'> },
  { accountId, providers }: Account,
  recommendation: RecommendationRecord,
): Promise<StoreLocation | undefined> {
  const current = providers[sourceOf(recommendation)]?.location;
  const connection = await connections.findConnection({
    connectionId: recommendation.connectionId,
    accountId,
  });
  if (!connection || isRole(connection) || !current) return current;
  return connection.place;
}
