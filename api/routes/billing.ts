import { UnknownCustomer, type Billing, type BillingPage } from '../../adapters/billing/billing.ts';
import type { Account } from '../../domain/account.ts';
import { AppError } from '../../domain/errors.ts';
import { hasBought, runningSubscriptions, type PaidPlan } from '../../domain/subscription.ts';
import { createTakeEvent, type BillingEventDeps } from '../billing-events.ts';
import {
  CheckoutRequest,
  CheckoutView,
  EventReceived,
  PortalView,
  SignedEvent,
} from '../billing-schemas.ts';
import { defineRoute, defineSignedRoute, type Route } from '../route.ts';
import { Empty } from '../schemas.ts';

const MAX_EVENT_BYTES = 1024 * 1024;

export interface BillingRoutesDeps extends BillingEventDeps {
  /** Undefined where nothing is sold. */
  readonly billing: Billing | undefined;
}

export function createBillingRoutes(deps: BillingRoutesDeps): Route[] {
  const { accounts } = deps;
  const takeEvent = createTakeEvent(deps);

  /** Two at once make one customer, and the first that is written down stays. */
  async function openAccount(billing: Billing, { accountId }: Account): Promise<string> {
    await accounts.setCustomer(accountId, await billing.createCustomer(accountId));
    const customerId = (await accounts.find(accountId))?.billing?.customerId;
    if (customerId === undefined) throw new AppError('unavailable');
    return customerId;
  }

  /**
   * Nobody shall pay twice. Where a subscription runs, by what its events said or by what the payment
   * service itself says, the plan is changed in the portal; and one checkout is open at a time.
   */
  async function checkOut(
    billing: Billing,
    account: Account,
    plan: PaidPlan,
  ): Promise<BillingPage> {
    const { accountId } = account;
    const customerId = account.billing?.customerId;
    if (customerId === undefined) {
      const opened = await openAccount(billing, account);
      return await billing.openCheckout({ accountId, customerId: opened, plan });
    }
    try {
      return await checkOutAs(billing, account, customerId, plan);
    } catch (error) {
      if (!(error instanceof UnknownCustomer)) throw error;
      const renewed = await billing.createCustomer(accountId, customerId);
      await accounts.replaceCustomer(accountId, customerId, renewed);
      return await billing.openCheckout({ accountId, customerId: renewed, plan });
    }
  }

  async function checkOutAs(
    billing: Billing,
    account: Account,
    customerId: string,
    plan: PaidPlan,
  ): Promise<BillingPage> {
    const { accountId } = account;
    const [known] = runningSubscriptions(account.billing?.subscriptions);
    if (known) return await billing.openPortal({ customerId, change: known });
    // In this order: what was paid until the checkouts closed is found.
    await billing.closeCheckouts(customerId);
    const running = await billing.findRunning(customerId);
    if (running) return await billing.openPortal({ customerId, change: running });
    return await billing.openCheckout({ accountId, customerId, plan });
  }

  return [
    defineRoute({
      method: 'POST',
      path: '/v1/billing/checkout',
      auth: 'dashboard',
      summary: 'Where a plan is bought; with a subscription, where it is changed',
      body: CheckoutRequest,
      replies: { 200: CheckoutView },
      refusals: ['billing_not_configured'],
      async handle({ account, body: { plan } }) {
        const { url, sessionId } = await checkOut(requireBilling(deps), account, plan);
        return { status: 200, body: { url, sessionId } };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/billing/portal',
      auth: 'dashboard',
      summary: 'Where the subscription, the means of payment and the invoices are',
      body: Empty,
      replies: { 200: PortalView },
      refusals: ['no_subscription', 'billing_not_configured'],
      async handle({ account }) {
        const billing = requireBilling(deps);
        const { customerId, checkedOutAt, subscriptions } = account.billing ?? {};
        const isCustomer = checkedOutAt !== undefined || hasBought(subscriptions);
        if (customerId === undefined || !isCustomer) throw new AppError('no_subscription');
        const { url } = await billing.openPortal({ customerId }).catch(noneWithoutCustomer);
        return { status: 200, body: { url } };
      },
    }),

    defineSignedRoute({
      method: 'POST',
      path: '/v1/billing/webhook',
      auth: 'none',
      summary: 'For Stripe alone: its events, with their signature in Stripe-Signature',
      body: SignedEvent,
      signed: { header: 'stripe-signature', maxBytes: MAX_EVENT_BYTES },
      replies: { 200: EventReceived },
      refusals: ['billing_not_configured', 'unavailable'],
      async handle({ body: { bytes, signature } }) {
        await takeEvent(requireBilling(deps).readEvent(bytes, signature));
        return { status: 200, body: { received: true } };
      },
    }),
  ];
}

/** A customer that is gone has no subscription either. */
function noneWithoutCustomer(error: unknown): never {
  throw error instanceof UnknownCustomer ? new AppError('no_subscription') : error;
}

/** @throws AppError `billing_not_configured` */
function requireBilling({ billing }: BillingRoutesDeps): Billing {
  if (!billing) throw new AppError('billing_not_configured');
  return billing;
}
