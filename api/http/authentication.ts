import type { Account } from '../../domain/accounts/account.ts';
import type { Person } from '../../domain/accounts/person.ts';
import { addressGroup, type RateLimits } from '../../domain/accounts/rate-limits.ts';
import { hashApiKey, isApiKey, type KeyMode } from '../../domain/accounts/api-key.ts';
import { AppError } from '../../domain/common/errors.ts';
import type { PlanName } from '../../domain/accounts/plan.ts';
import type { VerifyToken } from '../../adapters/identity/token-verifier.ts';
import type { Accounts } from '../../adapters/mongo/accounts/accounts.ts';
import type { RouteAuth } from './route.ts';
import type { TakeSlot } from './rate-limit.ts';

export interface AuthenticationDeps {
  readonly accounts: Accounts;
  readonly verifyToken: VerifyToken;
  readonly keyMode: KeyMode;
  readonly defaultPlan: PlanName;
  readonly takeSlot: TakeSlot;
  /** For failed authentications. */
  readonly takeFailure: TakeSlot;
  readonly rateLimits: RateLimits;
  readonly now: () => Date;
  /** Receives failures of background work. */
  readonly onBackgroundError: (error: unknown) => void;
}

/** The credentials and the address of a call, before authentication. */
export interface Claim {
  readonly authorization: string | undefined;
  readonly address: string;
}

/** An authenticated caller. */
export interface Caller {
  readonly account: Account;
  /** Named after the account if the call uses an API key. */
  readonly person: Person;
  /** Whether the role of a dashboard token allows calls that change something. */
  readonly mayChange: boolean;
}

/**
 * Authenticates a call and counts it against the rate limits.
 *
 * No key is cached between calls, so a rotated key fails at once on every process.
 *
 * @throws AppError `unauthorized`, `rate_limited`
 */
export type Authenticate = (auth: Exclude<RouteAuth, 'none'>, claim: Claim) => Promise<Caller>;

const UNAUTHORIZED: Readonly<Record<Exclude<RouteAuth, 'none'>, string>> = {
  apiKey: 'The credentials are missing or invalid: this call requires an API key.',
  dashboard: 'The credentials are missing or invalid: this call requires a dashboard token.',
};

const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

export function createAuthenticate(deps: AuthenticationDeps): Authenticate {
  const { accounts, verifyToken, keyMode, defaultPlan, takeSlot, takeFailure, rateLimits } = deps;

  async function requireSlot(subject: string, limit: number): Promise<void> {
    if (!(await takeSlot(subject, limit))) throw new AppError('rate_limited');
  }

  async function byApiKey(key: string): Promise<Caller> {
    const hash = hashApiKey(key);
    const account = isApiKey(keyMode, key) ? await accounts.findByApiKeyHash(hash) : undefined;
    if (!account) throw new AppError('unauthorized');
    // By account, not by key: a rotation does not reset the limit.
    await requireSlot(`key of ${account.accountId}`, rateLimits.key);
    accounts.touchApiKey(account, deps.now()).catch(deps.onBackgroundError);
    const person = { subject: account.accountId, name: account.accountId };
    return { account, person, mayChange: true };
  }

  async function byToken(token: string): Promise<Caller> {
    const { accountId, person, mayChange } = await verifyToken(token);
    const account = await accounts.findOrCreate(accountId, defaultPlan, deps.now());
    await requireSlot(`account ${accountId}`, rateLimits.account);
    return { account, person, mayChange };
  }

  /** Counts a failed authentication. If the counter fails, the call is still `unauthorized`. */
  async function countFailure(address: string): Promise<void> {
    const counted = takeFailure(`address ${addressGroup(address)}`, rateLimits.unauthenticated);
    if (!(await counted.catch(() => true))) throw new AppError('rate_limited');
  }

  return async (auth, { authorization, address }) => {
    try {
      const secret = BEARER.exec(authorization ?? '')?.[1];
      if (secret === undefined) throw new AppError('unauthorized');
      return await (auth === 'apiKey' ? byApiKey(secret) : byToken(secret));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'unauthorized') throw error;
      await countFailure(address);
      throw new AppError('unauthorized', UNAUTHORIZED[auth], { cause: error.cause });
    }
  };
}
