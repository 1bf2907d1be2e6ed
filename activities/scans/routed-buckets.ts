import type { FormerPlaces } from '../../adapters/mongo/providers/former-places.ts';
import { sameLocation, type Account } from '../../domain/accounts/account.ts';
import type { BucketInventory } from '../../domain/inventory/inventory.ts';
import { isRole, type Connection } from '../../domain/connections/connection.ts';
import { holdsRoutedFiles, type RoutedDeps } from '../../operations/uploads/routed.ts';

export interface RoutedBucketDeps extends RoutedDeps {
  readonly formerPlaces: Pick<FormerPlaces, 'listFormerPlaces'>;
}

/**
 * The inventory with `isRouted`, if the keys below `uploads/` are all of files and the bucket is a place of the account,
 * current or former, or holds files.
 */
export async function withRoutedFiles(
  deps: RoutedBucketDeps,
  connection: Connection,
  account: Pick<Account, 'providers'> | undefined,
  inventory: BucketInventory,
): Promise<BucketInventory> {
  const { name: bucketName, region, uploadKeys } = inventory;
  if (uploadKeys !== 'files') return inventory;
  const { provider, accountId } = connection;
  const current = account?.providers[provider]?.location;
  const read = isRole(connection) ? current : connection.place;
  const bucket = { ...read, provider, bucketName, region };
  const former = (await deps.formerPlaces.listFormerPlaces(accountId)).map(
    ({ location }) => location,
  );
  const places = current ? [current, ...former] : former;
  // The region does not tell buckets apart.
  const isRouted =
    places.some((place) => sameLocation({ ...place, region }, bucket)) ||
    (await holdsRoutedFiles(deps, accountId, bucket, null));
  return isRouted ? { ...inventory, isRouted } : inventory;
}
