import type { CallOptions, Route, Transport } from '../http/transport.ts';
import type { Provider } from './files.ts';

/** Whose key this is, and how much of the plan is used. Gigabytes are 10^9 bytes; a null quota is no limit. */
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
    /** What the quota counts: uploads under way too. */
    gbBooked: number;
    uploadsBooked: number;
    gbQuota: number | null;
    uploadQuota: number | null;
  };
}

/** Whether the service is alive, and what it stands on. */
export interface Health {
  status: 'ok' | 'degraded';
  version: string;
  architecture: string;
  dependencies: { mongodb: 'up' | 'down'; temporal: 'up' | 'down' };
}

export const accountRoutes = {
  me: { method: 'GET', path: '/v1/me', auth: 'apiKey', repeat: 'safe' },
  health: { method: 'GET', path: '/health', auth: 'none', repeat: 'safe' },
} as const satisfies Record<string, Route>;

/** The calls about the account and the service itself. */
export interface Account {
  me(options?: CallOptions): Promise<Me>;
  /** Needs no credentials. */
  health(options?: CallOptions): Promise<Health>;
}

export function createAccount(transport: Transport): Account {
  return {
    me: (options = {}) => transport.call(accountRoutes.me, options),
    health: (options = {}) => transport.call(accountRoutes.health, options),
  };
}
