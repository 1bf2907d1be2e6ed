import { randomUUID } from 'node:crypto';
import type { Account } from '../../domain/account/account.ts';
import { formatApiKey, storeApiKey, type KeyMode } from '../../domain/account/api-key.ts';
import type { Booked, PlanLimits, Plans } from '../../domain/account/plan.ts';
import { stillBooked, totalRouted } from '../../domain/upload/usage-totals.ts';
import { toMonth, type Month } from '../../domain/common/time.ts';
import type { Accounts } from '../../adapters/mongo/accounts.ts';
import type { Quota } from '../../adapters/mongo/quota.ts';
import type { UsageTotals } from '../../adapters/mongo/usage.ts';

export interface AccountDeps {
  readonly accounts: Accounts;
  readonly quota: Quota;
  readonly usageTotals: UsageTotals;
  readonly plans: Plans;
  readonly keyMode: KeyMode;
  readonly now: () => Date;
}

/** The account in the current month. */
export interface AccountUsage {
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
): Promise<AccountUsage> {
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
  { accounts, keyMode, now }: AccountDeps,
  { accountId }: Account,
): Promise<{ readonly key: string; readonly createdAt: Date }> {
  const key = formatApiKey(keyMode, randomUUID());
  const createdAt = now();
  await accounts.setApiKey(accountId, storeApiKey(key, createdAt));
  return { key, createdAt };
}
