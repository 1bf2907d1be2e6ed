/**
 * Calls per minute: of an account by its API key, whichever key that is, of an account at the dashboard,
 * and failing ones of an address.
 */
export interface RateLimits {
  readonly key: number;
  readonly account: number;
  readonly unauthenticated: number;
}
