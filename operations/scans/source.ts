import type {
  AccountReader,
  AccountReaderDeps,
  ListedBucket,
} from '../../adapters/cloud-account/account-reader.ts';
import type { CloudAccounts } from '../../adapters/cloud-account/cloud-accounts.ts';
import { withRoleErrors } from '../../adapters/cloud-account/role-errors.ts';
import { requireProvider, type Account } from '../../domain/account/account.ts';
import type { Accounts } from '../../adapters/mongo/accounts.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import { isUnsupported, StoreError } from '../../adapters/object-store/errors.ts';
import { AppError } from '../../domain/common/errors.ts';
import { isRole, type Connection } from '../../domain/scan/connection.ts';

export interface SourceDeps {
  readonly accounts: Pick<Accounts, 'find'>;
  readonly stores: Pick<AccountStores, 'open' | 'toProviderError'>;
  readonly cloudAccounts: Pick<CloudAccounts, 'open' | 'openStore'>;
}

/**
 * Reads what a connection gives access to: with a session of the role, or with the credentials that are stored at present.
 *
 * @throws AppError `provider_not_configured`
 */
export async function openSource(
  { accounts, stores, cloudAccounts }: SourceDeps,
  connection: Connection,
  onRequest: AccountReaderDeps['onRequest'],
): Promise<AccountReader> {
  if (isRole(connection)) return cloudAccounts.open(connection, onRequest);
  const account = await findAccount({ accounts }, connection);
  return stores.open(account, connection.provider, (location, credentials) =>
    cloudAccounts.openStore(location, credentials, onRequest),
  );
}

/**
 * The buckets that a connection gives access to, in any order: of a role, those in its regions; of a store, all that its
 * credentials may list, or those that the connection names and the provider's own. Credentials that may not list buckets
 * read the provider's own.
 *
 * @throws AppError `provider_not_configured`, `role_not_assumable`, `provider_error`
 */
export async function listSourceBuckets(
  deps: SourceDeps,
  connection: Connection,
  onRequest: AccountReaderDeps['onRequest'],
): Promise<readonly ListedBucket[]> {
  const source = await openSource(deps, connection, onRequest);
  const list = () => withSourceErrors(deps, connection, () => source.listBuckets());
  if (isRole(connection)) {
    const { regions } = connection;
    return (await list()).filter(({ region }) => regions.includes(region));
  }
  const account = await findAccount(deps, connection);
  const { location } = requireProvider(account, connection.provider);
  const named = [...new Set([location.bucketName, ...(connection.buckets ?? [])])].map((name) => ({
    name,
    region: location.region,
  }));
  if (connection.buckets !== null) return named;
  try {
    return await list();
  } catch (error) {
    if (isWithout(error)) return named;
    throw error;
  }
}

/** Whether the caller may not make a request, or the store does not have it. */
export function isWithout(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof StoreError && (cause.failure === 'access_denied' || isUnsupported(cause));
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

async function findAccount(
  { accounts }: Pick<SourceDeps, 'accounts'>,
  { accountId }: Connection,
): Promise<Account> {
  const account = await accounts.find(accountId);
  if (!account) throw new AppError('provider_not_configured');
  return account;
}
