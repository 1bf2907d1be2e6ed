import type { StorageRoutingError } from './errors.ts';

/**
 * How a call may be repeated.
 * - `safe`: reads and idempotent calls: always.
 * - `unless_started`: each arrival creates something new (a file, a key): only if the request did
 *   not take effect.
 */
export type Repeat = 'safe' | 'unless_started';

/** The first wait and the maximum of the exponential backoff, in milliseconds. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;

/** The service requests 60 s for a rate limit; twice that and more is left to the caller. */
const LONGEST_REQUESTED_WAIT_MS = 120_000;

/** Jitter for calls that have to wait until the same moment. */
const REQUESTED_WAIT_JITTER_MS = 1_000;

/**
 * May a failed attempt be repeated?
 *
 * | the attempt ended with | `safe` | `unless_started` |
 * |---|---|---|
 * | no connection (`connection_failed`) | yes | yes |
 * | 429 | yes | yes |
 * | a broken connection, a timeout | yes | no |
 * | 502 (`provider_error` too), 503, 504 | yes | no |
 * | 503 `billing_not_configured`: a setting of the service | no | no |
 * | anything else | no | no |
 *
 * 429 allows repeating calls that are not idempotent: the service counts a call before it reads the
 * body, and a proxy that limits does so before it forwards the call. 503 does not: the service also
 * answers `unavailable` when it loses a server in the middle of an init (quota booked, file
 * possibly inserted), and proxies answer 503 for an upstream that failed after it received the
 * request. A client cannot distinguish the two.
 */
export function mayRepeat(failure: StorageRoutingError, repeat: Repeat): boolean {
  if (failure.status === 429 || failure.code === 'connection_failed') return true;
  if (repeat === 'unless_started' || failure.code === 'billing_not_configured') return false;
  if (failure.status === undefined) {
    return failure.code === 'connection_lost' || failure.code === 'timeout';
  }
  return [502, 503, 504].includes(failure.status);
}

/**
 * Milliseconds to wait before the attempt after `attempt` (the first one is 0), or undefined if the
 * service requests a longer wait than the client accepts.
 *
 * The wait is never shorter than `Retry-After`. Otherwise it doubles, and its upper half is random,
 * so that clients that failed together do not retry together
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/, "equal jitter").
 */
export function waitBeforeRepeat(
  failure: StorageRoutingError,
  attempt: number,
  random: () => number,
): number | undefined {
  const requestedMs = failure.retryAfterMs;
  if (requestedMs === undefined) {
    const ceiling = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
    return Math.round(ceiling / 2 + (random() * ceiling) / 2);
  }
  if (requestedMs > LONGEST_REQUESTED_WAIT_MS) return undefined;
  return Math.round(requestedMs + random() * REQUESTED_WAIT_JITTER_MS);
}

/** Milliseconds from now, for seconds or an HTTP date (RFC 9110, 10.2.3); else undefined. */
export function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const atMs = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
