import type { CallOptions, Route, Transport } from '../http/transport.ts';

/** The account's API key as it may be shown. Times are RFC 3339. */
export interface ApiKeyInfo {
  /** For example `svc_live_1a2…9f3c`. */
  masked: string;
  createdAt: string;
  /** To about a minute; null before the first use. */
  lastUsedAt: string | null;
}

/** A new key, shown this once. */
export interface RegeneratedApiKey {
  apiKey: string;
  createdAt: string;
}

/** A new key, shown this once; the one before it is refused from now on. */
export interface RotatedApiKey {
  newApiKey: string;
  rotatedAt: string;
}

/**
 * Each regenerate and rotate makes a new key and ends the last one, so neither is sent again unless it surely did nothing:
 * a repeat could end the very key that a lost answer carried.
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
  /** Also the way to the first key. */
  regenerate(options?: CallOptions): Promise<RegeneratedApiKey>;
}

/** The preferred way to a new key. */
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
