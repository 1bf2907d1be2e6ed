import type { BillingEvent } from '../../adapters/billing/billing.ts';
import type { StripeBilling } from '../../adapters/billing/stripe.ts';
import type { BillingOutcome } from '../../adapters/mongo/billing/billing-events.ts';
import type { Logger } from '../../adapters/telemetry/logger.ts';
import type { Account } from '../../domain/accounts/account.ts';
import {
  applyChange,
  isOrderUnknown,
  orderByPresent,
  runningSubscriptions,
  sameSubscription,
  type Subscription,
  type SubscriptionChange,
} from '../../domain/accounts/subscription.ts';
import type { Deps } from '../common/deps.ts';
import { changeAccount } from '../accounts/accounts.ts';

export type BillingEventDeps = Deps<'accounts' | 'billingEvents' | 'now' | 'log'>;

/** With the payment service that has sent the events. */
type WithBilling = BillingEventDeps & { readonly billing: Pick<StripeBilling, 'readSubscription'> };

type EventAbout<About extends BillingEvent['about']> = Extract<BillingEvent, { about: About }>;

/**
 * Processes an event: receives it, applies it, settles it. Each step may be repeated, so the next
 * delivery finishes an event whose process died; a settled event costs one read.
 *
 * @throws AppError `unavailable` if all attempts conflict with other changes, or if the payment
 * service has to be asked and does not answer
 */
export async function processBillingEvent(deps: WithBilling, event: BillingEvent): Promise<void> {
  const { billingEvents, now } = deps;
  const { receivedAt, isSettled } = await billingEvents.receive(event, now());
  if (isSettled) return;
  await billingEvents.settle(event.eventId, await applyEvent(deps, event, receivedAt), now());
}

async function applyEvent(
  deps: WithBilling,
  event: BillingEvent,
  receivedAt: Date,
): Promise<BillingOutcome> {
  const { accounts, log } = deps;
  switch (event.about) {
    case 'other':
      return 'ignored';
    case 'unreadable':
      log.warn(describeEvent(event), 'a billing event of a known type could not be read');
      return 'ignored';
    case 'checkout':
    case 'subscription':
      break;
  }
  const account = await findAccount(deps, event);
  if (!account) {
    log.warn(describeEvent(event), 'a billing event belongs to no account');
    return 'ignored';
  }
  const { accountId, billing } = account;
  if (event.customerId !== undefined && billing?.customerId === undefined)
    await accounts.setCustomer(accountId, event.customerId);
  if (event.about === 'checkout') await accounts.noteCheckout(accountId, receivedAt);
  else await changeSubscription(deps, account, event, receivedAt);
  return 'applied';
}

/** By the account id that the checkout stored in the event, else by the customer. */
async function findAccount(
  { accounts }: BillingEventDeps,
  { accountId, customerId }: EventAbout<'checkout' | 'subscription'>,
): Promise<Account | undefined> {
  const named = accountId === undefined ? undefined : await accounts.findAccount(accountId);
  if (named || customerId === undefined) return named;
  return await accounts.findByCustomer(customerId);
}

async function changeSubscription(
  deps: WithBilling,
  account: Account,
  event: EventAbout<'subscription'>,
  receivedAt: Date,
): Promise<void> {
  const { accounts, log } = deps;
  const { subscriptionId, plan } = event.change;
  if (plan === undefined) {
    const { priceIds } = event;
    log.warn({ ...describeEvent(event), priceIds }, 'a subscription has a price of no plan');
  }
  await changeAccount(accounts, account, async (latest) => {
    const { subscriptions = {} } = latest.billing ?? {};
    const stored = subscriptions[subscriptionId];
    const change = await inOrder(deps, stored, { ...event.change, receivedAt });
    const after = applyChange(stored, change);
    if (sameSubscription(stored, after)) return true;
    const isSaved = await accounts.saveSubscription(latest, subscriptionId, after);
    if (isSaved)
      warnOfSeveral(log, latest.accountId, { ...subscriptions, [subscriptionId]: after });
    return isSaved;
  });
}

/** The change, ordered by the payment service where the times of events do not tell. */
async function inOrder(
  { billing }: WithBilling,
  stored: Subscription | undefined,
  change: SubscriptionChange,
): Promise<SubscriptionChange> {
  if (!isOrderUnknown(stored, change)) return change;
  return orderByPresent(stored, change, await billing.readSubscription(change.subscriptionId));
}

function warnOfSeveral(
  log: Logger,
  accountId: string,
  subscriptions: Readonly<Record<string, Subscription>>,
): void {
  const running = runningSubscriptions(subscriptions).map(({ subscriptionId }) => subscriptionId);
  if (running.length > 1) log.warn({ accountId, running }, 'an account pays more than once');
}

function describeEvent({ eventId, type }: BillingEvent) {
  return { eventId, type };
}
