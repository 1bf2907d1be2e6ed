import type { Account } from '../../domain/account.ts';
import { hashApiKey, isApiKey, type KeyMode } from '../../domain/api-key.ts';
import { AppError } from '../../domain/errors.ts';
import type { PlanName } from '../../domain/plan.ts';
import type { VerifyToken } from '../../adapters/identity/token-verifier.ts';
import type { Accounts } from '../../adapters/mongo/accounts.ts';
import type { RouteAuth } from '../route.ts';

export interface AuthenticationDeps {
  readonly accounts: Accounts;
  readonly verifyToken: VerifyToken;
  readonly keyMode: KeyMode;
  readonly defaultPlan: PlanName;
  readonly now: () => Date;
  /** Told of what went wrong beside the call itself. */
  readonly onBackgroundError: (error: unknown) => void;
}

/**
 * Finds the account that a call speaks for.
 *
 * Nothing is remembered between calls: a key that was rotated a moment ago, by any process, is
 * refused by every process.
 *
 * @throws AppError `unauthorized`
 */
export type Authenticate = (
  auth: Exclude<RouteAuth, 'none'>,
  authorization: string | undefined,
) => Promise<Account>;

const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

export function createAuthenticate(deps: AuthenticationDeps): Authenticate {
  const { accounts, verifyToken, keyMode, defaultPlan, now, onBackgroundError } = deps;

  async function byApiKey(key: string): Promise<Account> {
    const account = isApiKey(keyMode, key)
      ? await accounts.findByApiKeyHash(hashApiKey(key))
      : undefined;
    if (!account) throw new AppError('unauthorized');
    accounts.touchApiKey(account, now()).catch(onBackgroundError);
    return account;
  }

  async function byToken(token: string): Promise<Account> {
    const { accountId } = await verifyToken(token);
    return accounts.findOrCreate(accountId, defaultPlan, now());
  }

  return async (auth, authorization) => {
    const secret = BEARER.exec(authorization ?? '')?.[1];
    if (secret === undefined) throw new AppError('unauthorized');
    return auth === 'apiKey' ? byApiKey(secret) : byToken(secret);
  };
}
