import { randomUUID } from 'node:crypto';
import type { Account } from '../../domain/accounts/account.ts';
import {
  describeActivity,
  ACTIVITY_DAYS,
  type Activity,
  type ActivityAction,
  type Actor,
} from '../../domain/accounts/activity.ts';
import { formatApiKey, storeApiKey, type KeyMode } from '../../domain/accounts/api-key.ts';
import type { Booked, PlanLimits } from '../../domain/accounts/plan.ts';
import { stillBooked, totalRouted } from '../../domain/uploads/usage-totals.ts';
import { AppError } from '../../domain/common/errors.ts';
import { addSeconds, toMonth, type Month } from '../../domain/common/time.ts';
import type { Listed, Page } from '../../adapters/mongo/common/pages.ts';
import type { Accounts } from '../../adapters/mongo/accounts/accounts.ts';
import type { Deps } from '../common/deps.ts';
import { retryTransient } from '../../adapters/retry.ts';

export type AccountDeps = Deps<
  'catalogue' | 'accounts' | 'quota' | 'usageTotals' | 'plans' | 'keyMode'
> &
  Deps<'activities' | 'now' | 'onBackgroundError'>;

/** The account in the current month. */
export interface MonthlyUsage {
  readonly account: Account;
  readonly keyMode: KeyMode;
  readonly limits: PlanLimits;
  readonly month: Month;
  /** From usage records. */
  readonly routed: Booked;
  /** From the quota counter, pending uploads included. */
  readonly booked: Booked;
}

export async function getAccountUsage(
  { quota, usageTotals, plans, keyMode, now }: AccountDeps,
  account: Account,
): Promise<MonthlyUsage> {
  const month = toMonth(now());
  const [bookings, totals] = await Promise.all([
    quota.readBookings({ accountId: account.accountId, month }),
    usageTotals.read(account.accountId, [month]),
  ]);
  const sums = totals.get(month) ?? {};
  const booked = stillBooked(bookings, sums);
  const total = totalRouted(sums);
  const routed = { bytes: Number(total.bytes), uploads: Number(total.uploads) };
  return { account, keyMode, limits: plans[account.plan], month, routed, booked };
}

/** Replaces the account's key in one write; the old key fails from then on. */
export async function issueApiKey(
  { accounts, activities, keyMode, now, onBackgroundError }: AccountDeps,
  actor: Actor,
  action: ActivityAction & `key.${string}`,
): Promise<{ readonly key: string; readonly createdAt: Date }> {
  const { accountId } = actor;
  const key = formatApiKey(keyMode, randomUUID());
  const createdAt = now();
  const stored = storeApiKey(key, createdAt);
  await accounts.setApiKey(
    accountId,
    stored,
    describeActivity(actor, action, stored.masked, createdAt),
  );
  // The sweep publishes what could not be published here.
  await activities.publish('accounts', accountId).catch(onBackgroundError);
  return { key, createdAt };
}

/** What the people of an account have changed in the last 400 days, the newest first. */
export async function listActivities(
  { activities, now }: AccountDeps,
  { accountId }: Account,
  page: Page,
): Promise<Listed<Activity>> {
  return await activities.listActivities(
    accountId,
    addSeconds(now(), -ACTIVITY_DAYS * 86_400),
    page,
  );
}

/** Attempts of a change. Each conflict is another change of the account that succeeded. */
const CHANGE_ATTEMPTS = 100;

/** Another change of the account came first. */
class ConflictingChangeError extends AppError {
  readonly isTransient = true;

  constructor() {
    super('unavailable');
  }
}

/**
 * Applies a change to the latest state of an account, and repeats it on a conflict with another
 * write.
 *
 * @param change returns false if its conditional write did not match
 * @throws AppError `unavailable` if all attempts conflict, or the account is gone
 */
export async function changeAccount<Result>(
  accounts: Pick<Accounts, 'findAccount'>,
  account: Account,
  change: (latest: Account) => Promise<Result | false>,
): Promise<Result> {
  let latest: Account | undefined = account;
  return await retryTransient({ attempts: CHANGE_ATTEMPTS }, async () => {
    if (!latest) throw new AppError('unavailable');
    const result = await change(latest);
    if (result !== false) return result;
    latest = await accounts.findAccount(account.accountId);
    throw new ConflictingChangeError();
  });
}
