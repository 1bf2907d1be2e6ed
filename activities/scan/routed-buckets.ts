import type { Account } from '../../domain/account/account.ts';
import type { BucketInventory } from '../../domain/inventory/inventory.ts';
import { isRole, type Connection } from '../../domain/scan/connection.ts';
import { holdsRoutedFiles, type RoutedDeps } from '../../operations/uploads/routed.ts';

/**
 * The inventory with `isRouted`, if the keys below `uploads/` are all of files and the bucket is the account's place or
 * holds files.
 */
export async function withRoutedFiles(
  deps: RoutedDeps,
  connection: Connection,
  account: Pick<Account, 'providers'> | undefined,
  inventory: BucketInventory,
): Promise<BucketInventory> {
  const { name: bucketName, region, uploadKeys } = inventory;
  if (uploadKeys !== 'files') return inventory;
  const { provider, accountId } = connection;
  const current = account?.providers[provider]?.location;
  const place = isRole(connection) ? current : (connection.place ?? current);
  const source = { ...place, provider, bucketName, region };
  const isRouted =
    place?.bucketName === bucketName || (await holdsRoutedFiles(deps, accountId, source, null));
  return isRouted ? { ...inventory, isRouted } : inventory;
}
