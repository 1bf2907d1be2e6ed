import { createMethods, dashboard, ONCE } from '../http/methods.ts';
import type { CallOptions, Transport } from '../http/transport.ts';
import type { ApiKeyInfo, RegeneratedApiKey, RotatedApiKey } from '../http/api-types.ts';

/**
 * Regenerate and rotate create a new key and revoke the previous one, so they are repeated only if
 * they had no effect: a repeat could revoke the key of a lost answer.
 */
export const keyRoutes = {
  get: dashboard('GET', '/v1/providers/api-key'),
  regenerate: dashboard('POST', '/v1/providers/api-key/regenerate', ONCE),
  rotate: dashboard('POST', '/v1/keys/rotate', ONCE),
} as const;

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
  const { plain } = createMethods(transport);
  return { get: plain(keyRoutes.get), regenerate: plain(keyRoutes.regenerate) };
}

export function createKeys(transport: Transport): Keys {
  return { rotate: createMethods(transport).plain(keyRoutes.rotate) };
}
