import { createPublicKey, type JsonWebKey } from 'node:crypto';
import {
  createLocalJWKSet,
  errors,
  type JWK,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
} from 'jose';
import { AppError } from '../../domain/common/errors.ts';

/** Keys older than this are fetched again in the background. */
const FRESH_MS = 10 * 60_000;
/** The minimum time between two fetches, so that forged key ids cannot flood the provider. */
const COOLDOWN_MS = 10_000;
const MIN_MODULUS_BITS = 2048;

export interface KeySetDeps {
  /** Fetches the provider's current keys; rejects if it cannot be reached. */
  readonly fetchKeys: () => Promise<JSONWebKeySet>;
  /** A monotonic clock in milliseconds. */
  readonly monotonicMs: () => number;
}

/**
 * The identity provider's public keys. The last good keys stay in use during an outage of the
 * provider. An unknown key id causes one fetch; if it fails, the answer is `unavailable`, not
 * `unauthorized`.
 */
export function createKeySet({ fetchKeys, monotonicMs }: KeySetDeps): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let lastFetchFailed = false;
  let underway: Promise<void> | undefined;

  const fetchOnce = (): Promise<void> => {
    underway ??= (async () => {
      triedAt = monotonicMs();
      try {
        keys = createLocalJWKSet(usableKeys(await fetchKeys()));
        lastFetchFailed = false;
      } catch (error) {
        lastFetchFailed = true;
        if (!keys) throw silent(error);
      }
    })().finally(() => (underway = undefined));
    return underway;
  };
  const ageMs = () => monotonicMs() - triedAt;

  return async (header, token) => {
    if (!keys) {
      if (lastFetchFailed && ageMs() < COOLDOWN_MS && !underway) throw silent();
      await fetchOnce();
    } else if (ageMs() > FRESH_MS || (lastFetchFailed && ageMs() > COOLDOWN_MS)) {
      void fetchOnce();
    }
    if (!keys) throw silent();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    }
    if (ageMs() > COOLDOWN_MS || underway) await fetchOnce();
    try {
      return await keys(header, token);
    } catch (error) {
      if (lastFetchFailed && error instanceof errors.JWKSNoMatchingKey) throw silent(error);
      throw error;
    }
  };
}

/**
 * The keys that can verify a signature. One that is malformed must not fail the others, and a set
 * without a usable key is a fault of the provider that must not replace good keys.
 */
function usableKeys({ keys }: JSONWebKeySet): JSONWebKeySet {
  const usable = Array.isArray(keys) ? keys.filter(isUsable) : [];
  if (usable.length === 0) throw new Error('the identity provider has published no usable key');
  return { keys: usable };
}

/** jose refuses RSA keys below 2048 bits (RFC 7518 section 3.3), by an error that is no refusal. */
function isUsable(key: JWK): boolean {
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key: key as JsonWebKey, format: 'jwk' });
    return (asymmetricKeyDetails?.modulusLength ?? MIN_MODULUS_BITS) >= MIN_MODULUS_BITS;
  } catch {
    return false;
  }
}

function silent(cause?: unknown): AppError {
  return new AppError('unavailable', 'The identity provider cannot be reached.', { cause });
}
