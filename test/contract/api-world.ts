import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Accounts } from '../../adapters/mongo/accounts.ts';
import { createLogger } from '../../adapters/telemetry/logger.ts';
import { createVault } from '../../adapters/vault/vault.ts';
import { createApp } from '../../api/app.ts';
import { createApiMetrics } from '../../api/metrics.ts';
import { createAuthenticate } from '../../api/middleware/authentication.ts';
import type { Route, RouteAuth } from '../../api/route.ts';
import { createRoutes } from '../../api/routes/index.ts';
import { createHttpServer } from '../../api/server.ts';
import { readApiConfig } from '../../config.ts';
import type { Account } from '../../domain/account.ts';
import { formatApiKey, hashApiKey, storeApiKey } from '../../domain/api-key.ts';
import { AppError } from '../../domain/errors.ts';

export const API_KEY = formatApiKey('test', randomUUID());
export const TOKEN = 'header.payload.signature';
const NOW = new Date('2026-11-20T12:00:00.000Z');

const CONFIG = readApiConfig({
  MONGODB_URI: 'mongodb://nowhere',
  JWT_ISSUER: 'https://id.example',
  JWT_AUDIENCE: 'https://api.example',
  CREDENTIAL_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
});

export const ACCOUNT: Account = {
  accountId: 'acme',
  plan: 'free',
  createdAt: NOW,
  apiKey: storeApiKey(API_KEY, NOW),
  providers: {},
  providersRevision: 0,
};

/** The application with real authentication on ports that a test can see through. */
export interface ApiWorld {
  readonly routes: readonly Route[];
  readonly server: Server;
  readonly origin: string;
  /** The names of the ports that were asked since the last look, authentication apart. */
  readonly touched: string[];
  authorization(auth: RouteAuth): Record<string, string>;
  close(): Promise<void>;
}

/** A port of which every method only notes that it was asked. */
function untouchable<T extends object>(touched: string[], name: string): T {
  const note = (method: string | symbol) => () => {
    touched.push(`${name}.${String(method)}`);
    return Promise.reject(new Error(`${name} is not there: hunter2`));
  };
  return new Proxy({} as T, { get: (_target, method) => note(method) });
}

export const isMarkedOutage = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('outage');

/** The service's table of routes, on ports that only note what they are asked. */
export function describeApi(touched: string[] = [], accounts = accountsOf(touched)): Route[] {
  return createRoutes({
    ...CONFIG,
    now,
    accounts,
    vault: createVault(CONFIG.credentialKeys),
    files: untouchable(touched, 'files'),
    quota: untouchable(touched, 'quota'),
    usage: untouchable(touched, 'usage'),
    stores: untouchable(touched, 'stores'),
    uploads: untouchable(touched, 'uploads'),
    mongodb: { ping: async () => {} },
    temporal: { ping: async () => {} },
  });
}

const now = () => NOW;

function accountsOf(touched: string[]): Accounts {
  const others = untouchable<Accounts>(touched, 'accounts');
  return {
    find: others.find,
    setApiKey: others.setApiKey,
    saveProvider: others.saveProvider,
    removeProvider: others.removeProvider,
    withProviders: others.withProviders,
    reseal: others.reseal,
    findByApiKeyHash: async (hash) => (hash === hashApiKey(API_KEY) ? ACCOUNT : undefined),
    findOrCreate: async () => ACCOUNT,
    touchApiKey: async () => {},
  };
}

/** @param extra routes beside the service's own */
export async function startApi(extra: readonly Route[] = []): Promise<ApiWorld> {
  const touched: string[] = [];
  const accounts = accountsOf(touched);
  const routes = [...describeApi(touched, accounts), ...extra];
  const app = createApp({
    routes,
    authenticate: createAuthenticate({
      ...CONFIG,
      accounts,
      now,
      onBackgroundError: () => {},
      verifyToken: (token) =>
        token === TOKEN
          ? Promise.resolve({ accountId: ACCOUNT.accountId })
          : Promise.reject(new AppError('unauthorized')),
    }),
    isOutage: isMarkedOutage,
    dashboardOrigins: [],
    metrics: createApiMetrics(),
    log: createLogger('test', 'silent'),
  });
  const handle = app.callback();
  const server = createHttpServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    routes,
    server,
    touched,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authorization: (auth) => {
      if (auth === 'none') return {};
      return { authorization: `Bearer ${auth === 'apiKey' ? API_KEY : TOKEN}` };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
