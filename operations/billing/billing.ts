import { UnknownCustomerError, type BillingPage } from '../../adapters/billing/billing.ts';
import type { StripeBilling } from '../../adapters/billing/stripe.ts';
import type { Account } from '../../domain/accounts/account.ts';
import { describeActivity, type Actor } from '../../domain/accounts/activity.ts';
import { AppError } from '../../domain/common/errors.ts';
import type { Deps } from '../common/deps.ts';
import {
  hasBought,
  runningSubscriptions,
  subscriptionState,
  type PaidPlan,
  type SubscriptionState,
} from '../../domain/accounts/subscription.ts';

export type BillingDeps = Deps<'accounts' | 'billing' | 'activities' | 'now'>;

/** @throws AppError `billing_not_configured` */
export function requireBilling({ billing }: Pick<BillingDeps, 'billing'>): StripeBilling {
  if (!billing) throw new AppError('billing_not_configured');
  return billing;
}

/**
 * Opens the checkout page of a plan. An account with a running subscription, by its events or by
 * Stripe's answer, gets the portal instead, so that it cannot pay twice. One checkout is open at a
 * time.
 *
 * @throws AppError `billing_not_configured`, `unavailable`
 */
export async function openCheckout(
  deps: BillingDeps,
  account: Account,
  actor: Actor,
  plan: PaidPlan,
): Promise<BillingPage> {
  const page = await openPlanPage(deps, account, plan);
  await deps.activities.addActivity(describeActivity(actor, 'checkout.opened', plan, deps.now()));
  return page;
}

async function openPlanPage(
  deps: BillingDeps,
  account: Account,
  plan: PaidPlan,
): Promise<BillingPage> {
  const billing = requireBilling(deps);
  const { accountId } = account;
  const stored = account.billing?.customerId;
  const customerId = stored ?? (await createCustomer(deps, billing, account));
  try {
    if (stored === undefined) return await billing.openCheckout({ accountId, customerId, plan });
    return await openPageFor(billing, account, customerId, plan);
  } catch (error) {
    if (!(error instanceof UnknownCustomerError)) throw error;
    const renewed = await billing.createCustomer(accountId, customerId);
    await deps.accounts.replaceCustomer(accountId, customerId, renewed);
    return await billing.openCheckout({ accountId, customerId: renewed, plan });
  }
}

/**
 * Opens the page of the subscription, the payment method and the invoices.
 *
 * @throws AppError `billing_not_configured`, `no_subscription`
 */
export async function openPortal(deps: BillingDeps, account: Account): Promise<BillingPage> {
  const billing = requireBilling(deps);
  const { customerId, checkedOutAt, subscriptions } = account.billing ?? {};
  const isCustomer = checkedOutAt !== undefined || hasBought(subscriptions);
  if (customerId === undefined || !isCustomer) throw new AppError('no_subscription');
  try {
    return await billing.openPortal({ customerId });
  } catch (error) {
    throw error instanceof UnknownCustomerError ? new AppError('no_subscription') : error;
  }
}

/**
 * The account's subscription by the events received so far, without a call of the payment service.
 * Undefined before the first one.
 *
 * @throws AppError `billing_not_configured`
 */
export function readSubscription(
  deps: Pick<BillingDeps, 'billing'>,
  { billing }: Account,
): SubscriptionState | undefined {
  requireBilling(deps);
  return subscriptionState(billing?.subscriptions);
}

/** Two calls at once create one customer; the first stored id is kept. */
async function createCustomer(
  { accounts }: BillingDeps,
  billing: StripeBilling,
  { accountId }: Account,
): Promise<string> {
  await accounts.setCustomer(accountId, await billing.createCustomer(accountId));
  const customerId = (await accounts.findAccount(accountId))?.billing?.customerId;
  if (customerId === undefined) throw new AppError('unavailable');
  return customerId;
}

async function openPageFor(
  billing: StripeBilling,
  account: Account,
  customerId: string,
  plan: PaidPlan,
): Promise<BillingPage> {
  const { accountId } = account;
  const [known] = runningSubscriptions(account.billing?.subscriptions);
  if (known) return await billing.openPortal({ customerId, change: known });
  // In this order, so that a payment made before the checkouts were closed is found.
  await billing.closeCheckouts(customerId);
  const running = await billing.findRunning(customerId);
  if (running) return await billing.openPortal({ customerId, change: running });
  return await billing.openCheckout({ accountId, customerId, plan });
}
