import type { Accounts } from '../../adapters/mongo/accounts/accounts.ts';
import { createLogger } from '../../adapters/telemetry/logger.ts';
import { createStoreClocks } from '../../adapters/object-store/store-clocks.ts';
import { createVault } from '../../adapters/vault/vault.ts';
import type { Route } from '../../api/http/route.ts';
import { createRoutes, type RoutesDeps } from '../../api/routes.ts';
import { readApiConfig } from '../../config/api.ts';
import type { Account } from '../../domain/accounts/account.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
export const now = () => NOW;

export const CONFIG = readApiConfig({
  MONGODB_URI: 'mongodb://nowhere',
  JWT_ISSUER: 'https://id.example',
  JWT_AUDIENCE: 'https://api.example',
  CREDENTIAL_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
});

export const ACCOUNT: Account = {
  accountId: 'acme',
  plan: 'free',
  createdAt: NOW,
  providers: {},
};

/** A port, or a function, whose every call notes its name and fails. */
function createUntouchable(touched: string[]) {
  const fail = (name: string) => (): never => {
    touched.push(name);
    throw new Error(`${name} is not there: hunter2`);
  };
  return (name: string): never =>
    new Proxy(fail(name), {
      get: (_function, method) => fail(`${name}.${String(method)}`),
    }) as never;
}

/** The service's table of routes, on ports that only note what they are asked. */
export function describeApi(touched: string[] = []): Route[] {
  const no = createUntouchable(touched);
  const given: Partial<RoutesDeps> = {
    ...CONFIG,
    now,
    accounts: createAccounts(touched),
    vault: createVault(CONFIG.credentialKeys),
    billing: undefined,
    log: createLogger('test', 'silent'),
    onBackgroundError: () => {},
    mongodb: { ping: async () => {} },
    temporal: { ping: async () => {} },
    clocks: createStoreClocks(now),
  };
  const deps = new Proxy(given, {
    get: (_given, name: keyof RoutesDeps) => (name in given ? given[name] : no(name)),
  });
  return createRoutes(deps as RoutesDeps);
}

/** Where no key is known; all else is not there. */
export function createAccounts(touched: string[]): Accounts {
  const no: Accounts = createUntouchable(touched)('accounts');
  return new Proxy(no, {
    get: (target, method: keyof Accounts) =>
      method === 'findByApiKeyHash' ? async () => undefined : target[method],
  });
}
