import type { ApiKeyInfo, RegeneratedApiKey, RotatedApiKey } from '../http/api-types.ts';
import type { CallOptions, Route, Transport } from '../http/transport.ts';

/**
 * Regenerate and rotate create a new key and revoke the previous one, so they are repeated only if they had no effect:
 * a repeat could revoke the key of a lost answer.
 */
export const keyRoutes = {
  get: { method: 'GET', path: '/v1/providers/api-key', auth: 'dashboard' },
  regenerate: {
    method: 'POST',
    path: '/v1/providers/api-key/regenerate',
    auth: 'dashboard',
    repeat: 'unless_started',
  },
  rotate: { method: 'POST', path: '/v1/keys/rotate', auth: 'dashboard', repeat: 'unless_started' },
} as const satisfies Record<string, Route>;

/** The account's one API key. */
export interface ApiKey {
  /** Masked; null before the first key. `lastUsedAt` is accurate to about a minute. */
  get(options?: CallOptions): Promise<{ apiKey: ApiKeyInfo | null }>;
  /** Returns a new key, this once, and revokes the previous one. Also creates the first key. */
  regenerate(options?: CallOptions): Promise<RegeneratedApiKey>;
}

/** Key rotation, preferred over `regenerate`. */
export interface Keys {
  /** Returns a new key, this once, and revokes the previous one. */
  rotate(options?: CallOptions): Promise<RotatedApiKey>;
}

export function createApiKey(transport: Transport): ApiKey {
  return {
    get: (options = {}) => transport.call(keyRoutes.get, options),
    regenerate: (options = {}) => transport.call(keyRoutes.regenerate, { ...options, body: {} }),
  };
}

export function createKeys(transport: Transport): Keys {
  return {
    rotate: (options = {}) => transport.call(keyRoutes.rotate, { ...options, body: {} }),
  };
}
