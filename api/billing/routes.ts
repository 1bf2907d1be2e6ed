import type { SubscriptionState } from '../../domain/accounts/subscription.ts';
import {
  CheckoutRequest,
  CheckoutView,
  EventReceived,
  PortalView,
  SignedEvent,
  SubscriptionView,
} from './schemas.ts';
import { processBillingEvent, type BillingEventDeps } from '../../operations/billing/events.ts';
import {
  openCheckout,
  openPortal,
  readSubscription,
  requireBilling,
  type BillingDeps,
} from '../../operations/billing/billing.ts';
import { defineRoute, type Route, type View } from '../http/route.ts';
import { Empty } from '../http/schemas.ts';

function presentSubscription(state: SubscriptionState | undefined): View<typeof SubscriptionView> {
  return { subscription: state ? { status: state.status, plan: state.plan ?? null } : null };
}

const MAX_EVENT_BYTES = 1024 * 1024;

export type BillingRoutesDeps = BillingDeps & BillingEventDeps;

export function createBillingRoutes(deps: BillingRoutesDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/billing/subscription',
      auth: 'dashboard',
      summary: 'The state of the subscription and of its payment',
      description:
        'As the payment service has reported it so far; null before the first subscription. `trialing`, `active` and `past_due` (the payment is retried) grant the plan. `unpaid` and `paused` (a trial ended without a means of payment) grant it again after a payment in the portal. `incomplete` waits for its first payment. `canceled` (also if it was deleted, then without its plan) and `incomplete_expired` have ended.',
      replies: { 200: SubscriptionView },
      refusals: ['billing_not_configured'],
      handle: async ({ account }) => ({
        status: 200,
        body: presentSubscription(readSubscription(deps, account)),
      }),
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/billing/checkout',
      auth: 'dashboard',
      summary: 'Where a plan is bought; with a subscription, where it is changed',
      description:
        'Answers the address of a page of the payment service. The plan is in force when the payment service has reported the subscription.',
      body: CheckoutRequest,
      replies: { 200: CheckoutView },
      refusals: ['billing_not_configured'],
      mayTakeLong: () => true,
      async handle({ account, actor, body: { plan } }) {
        const { url, sessionId } = await openCheckout(deps, account, actor, plan);
        return { status: 200, body: { url, sessionId } };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/billing/portal',
      auth: 'dashboard',
      summary: 'Where the subscription, the means of payment and the invoices are',
      description: 'Answers the address of a page of the payment service, after a first checkout.',
      body: Empty,
      replies: { 200: PortalView },
      refusals: ['no_subscription', 'billing_not_configured'],
      mayTakeLong: () => true,
      async handle({ account }) {
        const { url } = await openPortal(deps, account);
        return { status: 200, body: { url } };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/billing/webhook',
      auth: 'none',
      summary: 'For Stripe alone: its events, with their signature in Stripe-Signature',
      description:
        'Verified by the signature over the body. Events may come twice and in any order.',
      body: SignedEvent,
      signed: {
        header: 'stripe-signature',
        maxBytes: MAX_EVENT_BYTES,
        verify: (text, signature) => deps.billing?.verify(text, signature),
      },
      replies: { 200: EventReceived },
      refusals: ['billing_not_configured', 'unavailable'],
      mayTakeLong: () => true,
      async handle({ body }) {
        const billing = requireBilling(deps);
        await processBillingEvent({ ...deps, billing }, billing.readEvent(body));
        return { status: 200, body: { received: true } as const };
      },
    }),
  ];
}
