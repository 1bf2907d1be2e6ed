import { randomUUID } from 'node:crypto';
import { sameLocation, type Account, type StoredProvider } from '../../domain/account.ts';
import { CATALOGUE, PROVIDER_NAMES, type StoreLocation } from '../../domain/catalogue.ts';
import { entitle } from '../../domain/entitlement.ts';
import { AppError, type ErrorDetail } from '../../domain/errors.ts';
import type { Plans } from '../../domain/plan.ts';
import type { Accounts } from '../../adapters/mongo/accounts.ts';
import type { Files } from '../../adapters/mongo/files.ts';
import type { Recommendations } from '../../adapters/mongo/recommendations.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import { checkStore } from '../../adapters/object-store/check.ts';
import type { Vault } from '../../adapters/vault/vault.ts';
import { presentProvider } from '../present/account.ts';
import { defineRoute, type Route } from '../route.ts';
import {
  NoContent,
  ProviderList,
  ProviderParam,
  ProviderRequest,
  ProviderTestView,
  ProviderView,
} from '../schemas.ts';

const CHECK_TIMEOUT_MS = 3_000;
/** How often a change of providers that met another one is tried again. */
const MAX_ATTEMPTS = 5;

export interface ProviderRoutesDeps {
  readonly accounts: Accounts;
  readonly files: Files;
  readonly recommendations: Recommendations;
  readonly stores: AccountStores;
  readonly vault: Vault;
  readonly plans: Plans;
  readonly now: () => Date;
}

export function createProviderRoutes(deps: ProviderRoutesDeps): Route[] {
  const { accounts, files, recommendations, stores, vault, plans, now } = deps;

  /** Tries a change on the newest state of the account until no other change comes between. */
  async function changing<T>(
    account: Account,
    change: (latest: Account) => Promise<T | undefined>,
  ): Promise<T> {
    let latest: Account | undefined = account;
    for (let attempt = 0; attempt < MAX_ATTEMPTS && latest; attempt += 1) {
      const changed = await change(latest);
      if (changed !== undefined) return changed;
      latest = await accounts.find(account.accountId);
    }
    throw new AppError('unavailable');
  }

  async function requireUnused(
    { accountId }: Account,
    provider: StoreLocation['provider'],
  ): Promise<void> {
    const uses = await Promise.all([
      files.isProviderInUse(accountId, provider),
      recommendations.isProviderInUse(accountId, provider),
    ]);
    if (uses.includes(true)) throw new AppError('provider_in_use');
  }

  async function save(
    latest: Account,
    request: ProviderRequest,
  ): Promise<StoredProvider | undefined> {
    const location = locationOf(request);
    const { provider } = location;
    const before = latest.providers[provider];
    if (before && !sameLocation(before.location, location)) await requireUnused(latest, provider);
    const others = PROVIDER_NAMES.filter((name) => name !== provider && latest.providers[name]);
    if (!before)
      entitle(latest.plan, plans[latest.plan], { what: 'provider', configured: others.length });

    const { accessKeyId, secretAccessKey } = request;
    const updatedAt = now();
    const stored: StoredProvider = {
      location,
      credentials: vault.seal(
        { accessKeyId, secretAccessKey },
        { accountId: latest.accountId, provider },
      ),
      accessKeyIdMasked: mask(accessKeyId),
      createdAt: before?.createdAt ?? updatedAt,
      updatedAt,
    };
    return (await accounts.saveProvider(latest, stored)) ? stored : undefined;
  }

  return [
    defineRoute({
      method: 'POST',
      path: '/v1/providers',
      auth: 'dashboard',
      summary: 'Configure a store, or replace its credentials',
      body: ProviderRequest,
      replies: { 200: ProviderView },
      refusals: ['provider_in_use', 'plan_limit'],
      async handle({ account, body }) {
        requireFits(body);
        const stored = await changing(account, (latest) => save(latest, body));
        return { status: 200, body: presentProvider(stored) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/providers',
      auth: 'dashboard',
      summary: 'The configured stores',
      replies: { 200: ProviderList },
      refusals: [],
      async handle({ account }) {
        const items = PROVIDER_NAMES.flatMap((name) => account.providers[name] ?? []);
        return { status: 200, body: { items: items.map(presentProvider) } };
      },
    }),

    defineRoute({
      method: 'DELETE',
      path: '/v1/providers/{provider}',
      auth: 'dashboard',
      summary: 'Forget a store and its credentials',
      params: ProviderParam,
      replies: { 204: NoContent },
      refusals: ['provider_in_use'],
      async handle({ account, params: { provider } }) {
        await changing(account, async (latest) => {
          if (!latest.providers[provider]) return true;
          await requireUnused(latest, provider);
          return (await accounts.removeProvider(latest, provider)) || undefined;
        });
        return { status: 204 };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/providers/test',
      auth: 'dashboard',
      summary: 'Write, look at, read and delete a small object in a configured store',
      body: ProviderParam,
      replies: { 200: ProviderTestView },
      refusals: ['provider_not_configured'],
      async handle({ account, body: { provider } }) {
        const store = stores.of(account, provider);
        const checks = await checkStore(store, `storage-routing-check/${randomUUID()}`, {
          timeoutMs: CHECK_TIMEOUT_MS,
        });
        return { status: 200, body: { provider, ok: checks.every(({ ok }) => ok), checks } };
      },
    }),
  ];
}

/**
 * What the schema cannot say, because it differs by provider.
 *
 * @throws AppError `invalid_request`
 */
function requireFits({ provider, region, accountId }: ProviderRequest): void {
  const { regionPattern, regionHint, needsAccountId, title } = CATALOGUE[provider];
  const details: ErrorDetail[] = [];
  if (!regionPattern.test(region))
    details.push({ path: '/region', message: `must be ${regionHint}` });
  if (needsAccountId && accountId === undefined) {
    details.push({ path: '/accountId', message: `is required for ${title}` });
  }
  if (!needsAccountId && accountId !== undefined) {
    details.push({ path: '/accountId', message: `is not used by ${title}` });
  }
  if (details.length > 0) throw new AppError('invalid_request', undefined, { details });
}

function locationOf({ provider, bucketName, region, accountId }: ProviderRequest): StoreLocation {
  return { provider, bucketName, region, ...(accountId === undefined ? {} : { accountId }) };
}

function mask(accessKeyId: string): string {
  return accessKeyId.length <= 8 ? '…' : `${accessKeyId.slice(0, 4)}…${accessKeyId.slice(-4)}`;
}
