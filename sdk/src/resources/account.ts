import type { CallOptions, Route, Transport } from '../http/transport.ts';
import type { Health, Me } from '../http/api-types.ts';

export const accountRoutes = {
  me: { method: 'GET', path: '/v1/me', auth: 'apiKey' },
  account: { method: 'GET', path: '/v1/account', auth: 'dashboard' },
  health: { method: 'GET', path: '/health', auth: 'none' },
} as const satisfies Record<string, Route>;

/** Calls about the account and the service. */
export interface Account {
  /** The account of the key, and its usage of the plan. Gigabytes are 10^9 bytes; a null quota is unlimited. */
  me(options?: CallOptions): Promise<Me>;
  /** The same as `me`, for a dashboard token. */
  account(options?: CallOptions): Promise<Me>;
  /** The state of the service and of its dependencies. Requires no credentials. */
  health(options?: CallOptions): Promise<Health>;
}

export function createAccount(transport: Transport): Account {
  return {
    me: (options = {}) => transport.call(accountRoutes.me, options),
    account: (options = {}) => transport.call(accountRoutes.account, options),
    health: (options = {}) => transport.call(accountRoutes.health, options),
  };
}
