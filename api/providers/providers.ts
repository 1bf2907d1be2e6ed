import { randomUUID } from 'node:crypto';
import { sameLocation, type Account, type StoredProvider } from '../../domain/account/account.ts';
import { describeActivity, type Actor } from '../../domain/account/activity.ts';
import type { Catalogue, ProviderName, StoreLocation } from '../../domain/provider/catalogue.ts';
import { STORE_WORK } from '../../domain/provider/pause.ts';
import { doubtAboutKeys, listingPermission } from '../../domain/provider/access-keys.ts';
import { entitle } from '../../domain/account/entitlement.ts';
import { AppError, invalidField, type ErrorDetail } from '../../domain/common/errors.ts';
import type { Plans } from '../../domain/account/plan.ts';
import type { Accounts } from '../../adapters/mongo/accounts.ts';
import type { Activities } from '../../adapters/mongo/activities.ts';
import type { Connections } from '../../adapters/mongo/connections.ts';
import type { Files } from '../../adapters/mongo/files.ts';
import type { Recommendations } from '../../adapters/mongo/recommendations.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import type { FindEndpoint } from '../../adapters/object-store/address.ts';
import { STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import { checkCors, checkStore, type StoreCheck } from '../../operations/providers/store-check.ts';
import { measureCapabilities, notMeasured } from '../../operations/providers/capabilities.ts';
import { noteSuccess } from '../../operations/providers/pause.ts';
import type { Vault } from '../../adapters/vault/vault.ts';
import { changeAccount } from '../account/account.ts';

export interface ProviderDeps {
  readonly accounts: Accounts;
  readonly files: Files;
  readonly recommendations: Recommendations;
  readonly connections: Pick<Connections, 'isStoreConnected'>;
  readonly stores: AccountStores;
  readonly vault: Vault;
  readonly plans: Plans;
  readonly catalogue: Catalogue;
  readonly activities: Activities;
  readonly now: () => Date;
  readonly onBackgroundError: (error: unknown) => void;
}

/** A store and the credentials for it, checked by the route's schema. */
export interface ProviderSettings extends StoreLocation {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * Creates a provider or replaces its credentials. Its bucket, region, account or jurisdiction may change
 * only while no pending file, no running migration and no connection uses it. Deletes that have stopped are resumed.
 *
 * @throws AppError `invalid_request`, `provider_in_use`, `plan_limit`, `unavailable`
 */
export async function saveProvider(
  deps: ProviderDeps,
  account: Account,
  actor: Actor,
  settings: ProviderSettings,
): Promise<StoredProvider> {
  requireFits(deps.catalogue, settings);
  const { accounts, activities, files, now } = deps;
  const activity = describeActivity(actor, 'provider.saved', settings.provider, now());
  const saved = await changeAccount(accounts, account, async (latest) => {
    const provider = newProvider(deps, latest, settings);
    const before = latest.providers[settings.provider];
    const isMove = before !== undefined && !sameLocation(before.location, provider.location);
    const free = isMove ? await announceChange(deps, latest, settings.provider) : latest;
    return (
      free !== undefined && (await accounts.saveProvider(free, provider, activity)) && provider
    );
  });
  await activities.publish('accounts', account.accountId).catch(deps.onBackgroundError);
  await files.resumeDeletes(account.accountId, settings.provider, now());
  return saved;
}

/** The configured providers, in the catalogue's order. */
export function listProviders(catalogue: Catalogue, account: Account): StoredProvider[] {
  return catalogue.providers.flatMap((name) => account.providers[name] ?? []);
}

/**
 * Removes a provider and its credentials. Does nothing if it is not configured.
 *
 * @throws AppError `provider_in_use`, `unavailable`
 */
export async function removeProvider(
  deps: ProviderDeps,
  account: Account,
  actor: Actor,
  provider: ProviderName,
): Promise<void> {
  const { accounts, activities, now } = deps;
  requireKnown(deps.catalogue, provider);
  const activity = describeActivity(actor, 'provider.deleted', provider, now());
  await changeAccount(accounts, account, async (latest) => {
    if (!latest.providers[provider]) return true;
    const free = await announceChange(deps, latest, provider);
    return free !== undefined && (await accounts.removeProvider(free, provider, activity));
  });
  await activities.publish('accounts', account.accountId).catch(deps.onBackgroundError);
}

export interface ProviderTestDeps extends Pick<ProviderDeps, 'accounts' | 'catalogue' | 'stores'> {
  readonly findEndpoint: FindEndpoint;
}

/** A test of a provider, checked by the route's schema. */
export interface ProviderTest {
  readonly provider: ProviderName;
  /** The origin of a page that uploads to the store. */
  readonly origin?: string;
}

/**
 * Writes, reads and deletes a small object in a configured store, measures what the store can do and keeps that with the
 * provider, and checks whether a page at the origin may upload there. A failing store is a failed check, not an error.
 *
 * @throws AppError `invalid_request`, `provider_not_configured`
 */
export async function testProvider(
  deps: ProviderTestDeps,
  account: Account,
  { provider, origin }: ProviderTest,
): Promise<readonly StoreCheck[]> {
  const { accounts, catalogue, stores } = deps;
  requireKnown(catalogue, provider);
  const page = origin === undefined ? undefined : pageAt(catalogue, provider, origin);
  const store = stores.of(account, provider);
  const key = `storage-routing-check/${randomUUID()}`;
  const options = { timeoutMs: STORE_CALLS.api.checkMs };
  const checks = await checkStore(store, key, options, listingPermission(provider));
  // What a store says of a missing object has no part in the measurements.
  const failed = checks.find(({ ok, name }) => !ok && name !== 'missing_object');
  const trial = { store, folder: `${key}/`, options };
  const { checks: measured, capabilities } = failed
    ? { checks: notMeasured(failed), capabilities: {} }
    : await measureCapabilities(trial);
  await accounts.saveCapabilities(account, provider, capabilities);
  if (checks.every(({ ok }) => ok)) await noteSuccess(deps, account, { provider }, STORE_WORK);
  const cors = page ? [await checkCors(store, key, page, options)] : [];
  const doubt = stores.open(account, provider, (location, credentials) =>
    doubtAboutKeys(new URL(deps.findEndpoint(location).origin).hostname, credentials),
  );
  return [...checks.map((check) => withDoubt(check, doubt)), ...measured, ...cors];
}

/** Keys of another form are not refused for it: it may explain a check that has failed. */
function withDoubt(check: StoreCheck, doubt: string | undefined): StoreCheck {
  if (!check.error || doubt === undefined) return check;
  const { code, message } = check.error;
  return { ...check, error: { code, message: `${message}; ${doubt}` } };
}

/**
 * The origin as browsers send it, lower-case and without a default port, and its rules.
 *
 * @throws AppError `invalid_request`
 */
function pageAt(catalogue: Catalogue, provider: ProviderName, given: string) {
  if (!URL.canParse(given)) throw invalidField('/origin', 'must be an origin');
  const { origin } = new URL(given);
  return { origin, corsRules: catalogue.entry(provider).corsRules(origin) };
}

/** @throws AppError `plan_limit` */
function newProvider(
  { catalogue, vault, plans, now }: ProviderDeps,
  latest: Account,
  { accessKeyId, secretAccessKey, ...location }: ProviderSettings,
): StoredProvider {
  const { accountId, plan } = latest;
  const { provider } = location;
  const before = latest.providers[provider];
  if (!before)
    entitle(plan, plans[plan], {
      what: 'provider',
      configured: listProviders(catalogue, latest).length,
    });

  const updatedAt = now();
  return {
    location,
    credentials: vault.seal({ accessKeyId, secretAccessKey }, { accountId, provider }),
    accessKeyIdMasked: mask(accessKeyId),
    ...(before?.capabilities && sameLocation(before.location, location)
      ? { capabilities: before.capabilities }
      : {}),
    createdAt: before?.createdAt ?? updatedAt,
    updatedAt,
  };
}

/**
 * Checks that a provider is unused before its location changes or it is removed. The second check follows
 * the announcement: an init inserts its file and then reads the account, so either the file is found here,
 * or the init finds the announcement and revokes it.
 *
 * @returns the account for the conditional write; undefined on a conflicting change
 * @throws AppError `provider_in_use`
 */
async function announceChange(
  deps: ProviderDeps,
  latest: Account,
  provider: ProviderName,
): Promise<Account | undefined> {
  await requireUnused(deps, latest, provider);
  const announced = await deps.accounts.announceProviderChange(latest);
  if (announced) await requireUnused(deps, announced, provider);
  return announced;
}

/** @throws AppError `provider_in_use` */
async function requireUnused(
  { files, recommendations, connections }: ProviderDeps,
  { accountId }: Account,
  provider: ProviderName,
): Promise<void> {
  const uses = await Promise.all([
    files.isProviderInUse(accountId, provider),
    recommendations.isProviderInUse(accountId, provider),
    connections.isStoreConnected(accountId, provider),
  ]);
  if (uses.includes(true)) throw new AppError('provider_in_use');
}

/** @throws AppError `invalid_request` */
export function requireKnown(
  { has, providers }: Catalogue,
  provider: ProviderName,
  path = '/provider',
): void {
  if (!has(provider)) throw invalidField(path, `must be one of ${providers.join(', ')}`);
}

/**
 * The rules that differ by provider, which the schema cannot express.
 *
 * @throws AppError `invalid_request`
 */
function requireFits(catalogue: Catalogue, location: StoreLocation): void {
  const { provider, region, accountId, jurisdiction } = location;
  requireKnown(catalogue, provider);
  const entry = catalogue.entry(provider);
  const { regionExample, needsAccountId, jurisdictions, title } = entry;
  const details: ErrorDetail[] = [];
  if (!entry.takesRegion(region))
    details.push({
      path: '/region',
      message: `must be a region of ${title}${regionExample === '' ? '' : ` such as ${regionExample}`}`,
    });
  if (needsAccountId && accountId === undefined)
    details.push({ path: '/accountId', message: `is required for ${title}` });
  if (needsAccountId && accountId !== undefined && !entry.takesAccountId(accountId))
    details.push({ path: '/accountId', message: `is not an account id of ${title}` });
  if (!needsAccountId && accountId !== undefined)
    details.push({ path: '/accountId', message: `is not used by ${title}` });
  if (jurisdiction !== undefined && !jurisdictions.includes(jurisdiction))
    details.push({ path: '/jurisdiction', message: `is not used by ${title}` });
  if (details.length > 0) throw new AppError('invalid_request', undefined, { details });
}

function mask(accessKeyId: string): string {
  return accessKeyId.length <= 8 ? '…' : `${accessKeyId.slice(0, 4)}…${accessKeyId.slice(-4)}`;
}
