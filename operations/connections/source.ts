import type {
  AccountReader,
  AccountReaderDeps,
} from '../../adapters/cloud-account/account-reader.ts';
import { withRoleErrors } from '../../adapters/cloud-account/role-errors.ts';
import type { ConnectionKey, Connections } from '../../adapters/mongo/connections/connections.ts';
import { isWithout, StoreError } from '../../adapters/object-store/errors.ts';
import { AppError } from '../../domain/common/errors.ts';
import type { StoreLocation } from '../../domain/providers/catalogue.ts';
import {
  isRole,
  type Connection,
  type StoreConnection,
} from '../../domain/connections/connection.ts';
import type { Deps } from '../common/deps.ts';
import type { ListedBucket } from '../../domain/scans/scan.ts';

/** @throws AppError `connection_not_found`, also for a connection of another account */
export async function findConnection(
  { connections }: { readonly connections: Pick<Connections, 'findConnection'> },
  key: ConnectionKey,
): Promise<Connection> {
  const connection = await connections.findConnection(key);
  if (!connection) throw new AppError('connection_not_found');
  return connection;
}

export type SourceDeps = Deps<'accounts' | 'stores' | 'cloudAccounts'>;

/**
 * Reads what a connection gives access to: with a session of the role, or with the credentials of
 * the place at which the store was connected, current or former. It lists these buckets, in any
 * order:
 *
 * | the connection                                       | its buckets                                 |
 * |------------------------------------------------------|---------------------------------------------|
 * | of a role                                            | those in its regions                        |
 * | of a store, with names                               | the provider's own, and those that it names |
 * | of a store, without names                            | all that the credentials may list           |
 * | of a store, whose credentials may not list buckets   | the provider's own                          |
 *
 * @throws AppError `provider_not_configured`, `unavailable` if the process lacks the key of the
 * stored credentials
 */
export async function openSource(
  { accounts, stores, cloudAccounts }: SourceDeps,
  connection: Connection,
  onRequest: AccountReaderDeps['onRequest'],
): Promise<AccountReader> {
  if (isRole(connection)) {
    const reader = cloudAccounts.open(connection, onRequest);
    const isScanned = ({ region }: ListedBucket) => connection.regions.includes(region);
    return { ...reader, listBuckets: async () => (await reader.listBuckets()).filter(isScanned) };
  }
  const account = await accounts.findAccount(connection.accountId);
  if (!account) throw new AppError('provider_not_configured');
  const { place } = connection;
  return await stores.open(account, place, (credentials) => {
    const reader = cloudAccounts.openStore(place, credentials, onRequest);
    return { ...reader, listBuckets: () => listStoreBuckets(reader, place, connection) };
  });
}

async function listStoreBuckets(
  reader: AccountReader,
  { bucketName, region }: StoreLocation,
  { buckets }: StoreConnection,
): Promise<readonly ListedBucket[]> {
  const names = new Set([bucketName, ...(buckets ?? [])]);
  const named = [...names].map((name) => ({ name, region, createdAt: null }));
  if (buckets !== null) return named;
  try {
    return await reader.listBuckets();
  } catch (error) {
    if (isWithout(error)) return named;
    throw error;
  }
}

/**
 * Runs work at the source of a scan, and translates its errors.
 *
 * @throws AppError `role_not_assumable`, `provider_error`
 */
export async function withSourceErrors<T>(
  { stores }: Pick<SourceDeps, 'stores'>,
  connection: Connection,
  work: () => Promise<T>,
): Promise<T> {
  if (isRole(connection)) return await withRoleErrors(work);
  try {
    return await work();
  } catch (error) {
    throw error instanceof StoreError ? stores.toProviderError(connection, error) : error;
  }
}
