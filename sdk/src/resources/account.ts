import type { CallOptions, Route, Transport } from '../http/transport.ts';
import type { Provider } from './files.ts';

/** The account of the key or token, and its usage of the plan. Gigabytes are 10^9 bytes; a null quota is unlimited. */
export interface Me {
  accountId: string;
  plan: 'free' | 'starter' | 'growth' | 'enterprise';
  keyMode: 'live' | 'test';
  providers: Provider[];
  usage: {
    /** The UTC month, `2026-11`. */
    period: string;
    gbRouted: number;
    uploads: number;
    /** Counted against the quota: includes uploads under way. */
    gbBooked: number;
    uploadsBooked: number;
    gbQuota: number | null;
    uploadQuota: number | null;
  };
}

/** The state of the service and of its dependencies. */
export interface Health {
  status: 'ok' | 'degraded';
  version: string;
  architecture: string;
  dependencies: { mongodb: 'up' | 'down'; temporal: 'up' | 'down' };
}

export const accountRoutes = {
  me: { method: 'GET', path: '/v1/me', auth: 'apiKey', repeat: 'safe' },
  account: { method: 'GET', path: '/v1/account', auth: 'dashboard', repeat: 'safe' },
  health: { method: 'GET', path: '/health', auth: 'none', repeat: 'safe' },
} as const satisfies Record<string, Route>;

/** Calls about the account and the service. */
export interface Account {
  me(options?: CallOptions): Promise<Me>;
  /** The same as `me`, for a dashboard token. */
  account(options?: CallOptions): Promise<Me>;
  /** Requires no credentials. */
  health(options?: CallOptions): Promise<Health>;
}

export function createAccount(transport: Transport): Account {
  return {
    me: (options = {}) => transport.call(accountRoutes.me, options),
    account: (options = {}) => transport.call(accountRoutes.account, options),
    health: (options = {}) => transport.call(accountRoutes.health, options),
  };
}
