import { sameLocation, type Account } from '../../domain/accounts/account.ts';
import type { BucketInventory } from '../../domain/inventory/inventory.ts';
import { isRole, type Connection } from '../../domain/connections/connection.ts';
import { holdsRoutedFiles } from '../../operations/uploads/routed.ts';
import type { ScanContext } from '../contexts.ts';

/**
 * The inventory with `isRouted`, if the keys below `uploads/` are all of files and the bucket is a
 * place of the account, current or former, or holds files.
 */
export async function withRoutedFiles(
  context: ScanContext,
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
  const former = (await context.formerPlaces.listFormerPlaces(accountId)).map(
    ({ location }) => location,
  );
  const places = current ? [current, ...former] : former;
  // Buckets differ by name, not by region.
  const isRouted =
    places.some((place) => sameLocation({ ...place, region }, bucket)) ||
    (await holdsRoutedFiles(context, accountId, bucket, null));
  return isRouted ? { ...inventory, isRouted } : inventory;
}
