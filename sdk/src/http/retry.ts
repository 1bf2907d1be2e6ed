import type { StorageRoutingError } from './errors.ts';

/**
 * How often a call may be sent.
 * - `safe`: as often as it takes: reading, and what ends in the same state however often it is done.
 * - `unless_started`: each arrival does something new (another file, another key), so only while it surely did nothing.
 */
export type Repeat = 'safe' | 'unless_started';

/** The first wait, and the longest that the doubling reaches, in milliseconds. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;

/** The service asks for 60 s when a rate limit is exceeded; more than twice that is for the caller to decide. */
const LONGEST_ASKED_WAIT_MS = 120_000;

/** Spread over which calls that were all told to wait until the same moment come back. */
const ASKED_WAIT_SPREAD_MS = 1_000;

/**
 * May a failed attempt be followed by another?
 *
 * | the attempt ended with | `safe` | `unless_started` |
 * |---|---|---|
 * | no connection (`connection_failed`) | yes | yes |
 * | 429 | yes | yes |
 * | a broken connection, a time-out | yes | no |
 * | 502 (`provider_error` too), 503, 504 | yes | no |
 * | anything else | no | no |
 *
 * 429 repeats even what is not idempotent: the service counts a call before it reads its body, and a proxy that limits
 * does so before it passes the call on. 503 does not: the service answers `unavailable` also when a server is lost
 * half-way through an init (the quota booked, the file perhaps inserted), and proxies answer 503 for an upstream that
 * broke off after it had the request. The two cannot be told apart from outside.
 */
export function mayRepeat(failure: StorageRoutingError, repeat: Repeat): boolean {
  if (failure.status === 429 || failure.code === 'connection_failed') return true;
  if (repeat === 'unless_started') return false;
  if (failure.status === undefined) {
    return failure.code === 'connection_lost' || failure.code === 'timeout';
  }
  return [502, 503, 504].includes(failure.status);
}

/**
 * Milliseconds to wait before the attempt after `attempt` (the first one is 0), or undefined where the service asks for
 * a longer wait than a caller would sit through.
 *
 * What the service asks for (`Retry-After`) is never undercut. Otherwise the wait doubles, and its upper half is left to
 * chance, so that clients which failed together do not come back together
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/, "equal jitter").
 */
export function waitBeforeRepeat(
  failure: StorageRoutingError,
  attempt: number,
  random: () => number,
): number | undefined {
  const asked = failure.retryAfterMs;
  if (asked === undefined) {
    const ceiling = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
    return Math.round(ceiling / 2 + (random() * ceiling) / 2);
  }
  if (asked > LONGEST_ASKED_WAIT_MS) return undefined;
  return Math.round(asked + random() * ASKED_WAIT_SPREAD_MS);
}

/** `Retry-After` in milliseconds from now: seconds or an HTTP date (RFC 9110, 10.2.3). Undefined where it is neither. */
export function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const atMs = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
