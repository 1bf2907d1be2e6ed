import type { CallOptions, Route, Transport } from '../http/transport.ts';

/** The account's API key, masked. Times are RFC 3339. */
export interface ApiKeyInfo {
  /** For example `svc_live_1a2…9f3c`. */
  masked: string;
  createdAt: string;
  /** Accurate to about a minute; null before the first use. */
  lastUsedAt: string | null;
}

/** A new key, returned only once. */
export interface RegeneratedApiKey {
  apiKey: string;
  createdAt: string;
}

/** A new key, returned only once; the previous key is revoked. */
export interface RotatedApiKey {
  newApiKey: string;
  rotatedAt: string;
}

/**
 * Regenerate and rotate create a new key and revoke the previous one, so they are repeated only where they had no effect:
 * a repeat could revoke the key of a lost answer.
 */
export const keyRoutes = {
  get: { method: 'GET', path: '/v1/providers/api-key', auth: 'dashboard', repeat: 'safe' },
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
  /** Null before the first key. */
  get(options?: CallOptions): Promise<{ apiKey: ApiKeyInfo | null }>;
  /** Also creates the first key. */
  regenerate(options?: CallOptions): Promise<RegeneratedApiKey>;
}

/** Key rotation, preferred over `regenerate`. */
export interface Keys {
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
