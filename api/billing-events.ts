import type { BillingEvent } from '../adapters/billing/billing.ts';
import type { Accounts } from '../adapters/mongo/accounts.ts';
import type { BillingEvents, BillingOutcome } from '../adapters/mongo/billing-events.ts';
import type { Logger } from '../adapters/telemetry/logger.ts';
import type { Account } from '../domain/account.ts';
import { AppError } from '../domain/errors.ts';
import { applyChange, runningSubscriptions, sameSubscription } from '../domain/subscription.ts';

/** How often a change of subscriptions that met another one is tried again. */
const MAX_ATTEMPTS = 100;

export interface BillingEventDeps {
  readonly accounts: Accounts;
  readonly billingEvents: BillingEvents;
  readonly now: () => Date;
  readonly log: Logger;
}

type Of<About extends BillingEvent['about']> = Extract<BillingEvent, { about: About }>;

/**
 * Gives the function that takes an event in: it is received, then applied, then settled. Each step may
 * be repeated, so one that a process died over is finished by the next delivery, and one that is
 * settled costs a look.
 *
 * @throws AppError `unavailable` where other changes of the account never let it in.
 */
export function createTakeEvent(deps: BillingEventDeps): (event: BillingEvent) => Promise<void> {
  const { accounts, billingEvents, now, log } = deps;

  async function apply(event: BillingEvent, receivedAt: Date): Promise<BillingOutcome> {
    switch (event.about) {
      case 'other':
        return 'ignored';
      case 'unreadable':
        log.warn(nameOf(event), 'a billing event of a known type could not be read');
        return 'ignored';
      case 'checkout':
      case 'subscription':
        break;
    }
    const account = await ownerOf(event);
    if (!account) {
      log.warn(nameOf(event), 'a billing event belongs to no account');
      return 'ignored';
    }
    const { accountId, billing } = account;
    if (event.customerId !== undefined && billing?.customerId === undefined)
      await accounts.setCustomer(accountId, event.customerId);
    if (event.about === 'checkout') await accounts.noteCheckout(accountId, receivedAt);
    else await change(account, event, receivedAt);
    return 'applied';
  }

  /** As the checkout wrote it down; else by the customer. */
  async function ownerOf({
    accountId,
    customerId,
  }: Of<'checkout' | 'subscription'>): Promise<Account | undefined> {
    const named = accountId === undefined ? undefined : await accounts.find(accountId);
    if (named || customerId === undefined) return named;
    return await accounts.findByCustomer(customerId);
  }

  async function change(
    account: Account,
    event: Of<'subscription'>,
    receivedAt: Date,
  ): Promise<void> {
    const { subscriptionId, plan } = event.change;
    if (plan === undefined) {
      const { priceIds } = event;
      log.warn({ ...nameOf(event), priceIds }, 'a subscription has a price of no plan');
    }
    let latest: Account | undefined = account;
    for (let attempt = 0; attempt < MAX_ATTEMPTS && latest; attempt += 1) {
      const { subscriptions = {} } = latest.billing ?? {};
      const before = subscriptions[subscriptionId];
      const after = applyChange(before, { ...event.change, receivedAt });
      if (sameSubscription(before, after)) return;
      if (await accounts.saveSubscription(latest, subscriptionId, after)) {
        warnOfTwo(latest.accountId, { ...subscriptions, [subscriptionId]: after });
        return;
      }
      latest = await accounts.find(latest.accountId);
    }
    throw new AppError('unavailable');
  }

  function warnOfTwo(accountId: string, subscriptions: Parameters<typeof runningSubscriptions>[0]) {
    const running = runningSubscriptions(subscriptions).map(({ subscriptionId }) => subscriptionId);
    if (running.length > 1) log.warn({ accountId, running }, 'an account pays more than once');
  }

  return async (event) => {
    const { receivedAt, isSettled } = await billingEvents.receive(event, now());
    if (isSettled) return;
    await billingEvents.settle(event.eventId, await apply(event, receivedAt), now());
  };
}

function nameOf({ eventId, type }: BillingEvent) {
  return { eventId, type };
}
