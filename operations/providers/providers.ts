import { randomUUID } from 'node:crypto';
import {
  isAt,
  requireProvider,
  sameLocation,
  storeOf,
  type Account,
  type FormerPlace,
  type StoredProvider,
} from '../../domain/accounts/account.ts';
import { describeActivity, type Actor } from '../../domain/accounts/activity.ts';
import {
  requireKnown,
  type Catalogue,
  type ProviderName,
  type StoreLocation,
} from '../../domain/providers/catalogue.ts';
import { STORE_WORK } from '../../domain/providers/pause.ts';
import { doubtAboutKeys, listingPermission } from '../../domain/providers/access-keys.ts';
import { entitle } from '../../domain/accounts/entitlement.ts';
import { AppError, invalidField, type ErrorDetail } from '../../domain/common/errors.ts';
import { STORE_CALLS } from '../../adapters/object-store/call-bounds.ts';
import { checkCors, checkStore, type StoreCheck } from './store-check.ts';
import { measureCapabilities, notMeasured } from './capabilities.ts';
import { usedPlaces, type PlaceUseDeps } from './former-places.ts';
import { noteSuccess } from './pause.ts';
import type { Deps } from '../common/deps.ts';
import { changeAccount } from '../accounts/accounts.ts';

export type ProviderDeps = PlaceUseDeps &
  Deps<'accounts' | 'formerPlaces' | 'files' | 'stores' | 'vault' | 'plans' | 'catalogue'> &
  Deps<'activities' | 'now' | 'onBackgroundError'>;

/** A store and the credentials for it, checked by the route's schema. */
export interface ProviderSettings extends StoreLocation {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * Creates a provider, replaces its credentials, or gives it another place: bucket, region, account
 * or jurisdiction. The place until then is kept as a former one while something needs it. Deletes
 * there that have stopped are resumed.
 *
 * @throws AppError `invalid_request`, `too_many_places`, `plan_limit`, `unavailable`
 */
export async function saveProvider(
  deps: ProviderDeps,
  account: Account,
  actor: Actor,
  settings: ProviderSettings,
): Promise<StoredProvider> {
  requireFits(deps.catalogue, settings);
  const { accounts, activities, catalogue, files, formerPlaces, now } = deps;
  const { accountId } = account;
  const activity = describeActivity(actor, 'provider.saved', settings.provider, now());
  const saved = await changeAccount(accounts, account, async (latest) => {
    const provider = newProvider(deps, latest, settings);
    const ended = await replacePlace(deps, latest, provider.location);
    if (!(await accounts.saveProvider(latest, provider, activity, catalogue.providers)))
      return false;
    await formerPlaces.forget(accountId, ended);
    return provider;
  });
  await activities.publish('accounts', accountId).catch(deps.onBackgroundError);
  await files.resumeDeletes(accountId, saved.location, now());
  return saved;
}

/**
 * Keeps the place that is about to be replaced before the provider is changed, so that no
 * credentials are lost in between. Where the change does not follow, it is kept in vain: a place
 * that is current is no former one, and the sweep forgets it.
 *
 * @returns those that are no former places once the provider is changed: the next place itself, and
 * all of a provider that is not configured, which a change at once with its removal has kept
 * @throws AppError `too_many_places`
 */
async function replacePlace(
  { formerPlaces, now }: ProviderDeps,
  { accountId, providers }: Account,
  next: StoreLocation,
): Promise<readonly FormerPlace[]> {
  const current = providers[next.provider];
  if (current && sameLocation(current.location, next)) return [];
  const kept = (await formerPlaces.listFormerPlaces(accountId)).filter(({ location }) =>
    current ? sameLocation(location, next) : location.provider === next.provider,
  );
  if (!current) return kept;
  const { capabilities: _capabilities, ...stored } = current;
  if (!(await formerPlaces.keep(accountId, { ...stored, since: now() }, next)))
    throw new AppError('too_many_places');
  return kept;
}

/**
 * Replaces the credentials of a former place. Deletes there that have stopped are resumed.
 *
 * @throws AppError `invalid_request`, `not_found`
 */
export async function saveFormerPlace(
  deps: ProviderDeps,
  account: Account,
  actor: Actor,
  settings: ProviderSettings,
): Promise<StoredProvider> {
  requireFits(deps.catalogue, settings);
  const { formerPlaces, files, vault, now } = deps;
  const { accountId } = account;
  const { accessKeyId, secretAccessKey, ...location } = settings;
  const former = await formerPlaces.findFormerPlace(accountId, location);
  if (!former || isAt(account, location)) throw new AppError('not_found', NO_FORMER_PLACE);
  const { provider } = location;
  const credentials = vault.seal({ accessKeyId, secretAccessKey }, { accountId, provider });
  const changed = { location, credentials, accessKeyIdMasked: mask(accessKeyId), updatedAt: now() };
  const activity = describeActivity(actor, 'provider.saved', provider, now());
  if (!(await formerPlaces.replaceCredentials(accountId, changed)))
    throw new AppError('not_found', NO_FORMER_PLACE);
  await deps.accounts.endRefusals(account, storeOf(account, location), STORE_WORK, activity);
  await deps.activities.publish('accounts', accountId).catch(deps.onBackgroundError);
  await files.resumeDeletes(accountId, location, now());
  return { ...changed, createdAt: former.createdAt };
}

const NO_FORMER_PLACE = 'There is no such former place of this provider.';

/** A configured provider, and its former places with the active and pending files there. */
export interface ListedProvider {
  readonly stored: StoredProvider;
  readonly former: readonly {
    readonly place: FormerPlace;
    readonly files: number;
    readonly bytes: number;
  }[];
}

/** The configured providers, in the catalogue's order. */
export async function listProviders(
  { catalogue, files, formerPlaces }: ProviderDeps,
  account: Account,
): Promise<ListedProvider[]> {
  const { accountId } = account;
  const places = (await formerPlaces.listFormerPlaces(accountId)).filter(
    ({ location }) => !isAt(account, location),
  );
  return await Promise.all(
    configuredIn(catalogue, account).map(async (stored) => {
      const { provider } = stored.location;
      const own = places.filter(({ location }) => location.provider === provider);
      const counts = own.length > 0 ? await files.countByPlace(accountId, provider) : [];
      const former = own.map((place) => {
        const counted = counts.find(({ location }) => sameLocation(location, place.location));
        const { files: held, bytes } = counted ?? { files: 0, bytes: 0 };
        return { place, files: held, bytes };
      });
      return { stored, former };
    }),
  );
}

function configuredIn({ providers }: Catalogue, account: Account): StoredProvider[] {
  return providers.flatMap((name) => account.providers[name] ?? []);
}

/**
 * Removes a provider, the credentials of its place and of its former ones. Does nothing if it is
 * not configured.
 *
 * @throws AppError `provider_in_use`, `unavailable`
 */
export async function removeProvider(
  deps: ProviderDeps,
  account: Account,
  actor: Actor,
  provider: ProviderName,
): Promise<void> {
  const { accounts, activities, formerPlaces, now } = deps;
  requireKnown(deps.catalogue, provider);
  const activity = describeActivity(actor, 'provider.deleted', provider, now());
  await changeAccount(accounts, account, async (latest) => {
    if (!latest.providers[provider]) return true;
    await requireUnused(deps, latest, provider);
    return await accounts.removeProvider(latest, provider, activity);
  });
  await formerPlaces.forgetAll(account.accountId, provider);
  await activities.publish('accounts', account.accountId).catch(deps.onBackgroundError);
}

export type ProviderTestDeps = Deps<'accounts' | 'catalogue' | 'stores' | 'findEndpoint'>;

/** A test of a provider, checked by the route's schema. */
export interface ProviderTest {
  readonly provider: ProviderName;
  /** The origin of a page that uploads to the store. */
  readonly origin?: string;
}

/**
 * Writes, reads and deletes a small object in a configured store, measures what the store can do
 * and keeps that with the provider, and checks whether a page at the origin may upload there. A
 * failing store is a failed check, not an error.
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
  const { location } = requireProvider(account, provider);
  if (checks.every(({ ok }) => ok)) await noteSuccess(deps, account, location, STORE_WORK);
  const cors = page ? [await checkCors(store, key, page, options)] : [];
  const doubt = await stores.open(account, location, (credentials) =>
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
  const current = latest.providers[provider];
  if (!current)
    entitle(plan, plans[plan], {
      what: 'provider',
      configured: configuredIn(catalogue, latest).length,
    });

  const updatedAt = now();
  return {
    location,
    credentials: vault.seal({ accessKeyId, secretAccessKey }, { accountId, provider }),
    accessKeyIdMasked: mask(accessKeyId),
    ...(current?.capabilities && sameLocation(current.location, location)
      ? { capabilities: current.capabilities }
      : {}),
    createdAt: current?.createdAt ?? updatedAt,
    updatedAt,
  };
}

/** Looks at the current place and the former ones, once. @throws AppError `provider_in_use` */
async function requireUnused(
  deps: ProviderDeps,
  account: Account,
  provider: ProviderName,
): Promise<void> {
  const [hasFiles, places] = await Promise.all([
    deps.files.isProviderInUse(account.accountId, provider),
    usedPlaces(deps, account),
  ]);
  if (hasFiles || places.some((place) => place.provider === provider))
    throw new AppError('provider_in_use');
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
