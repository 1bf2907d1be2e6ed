import { createMethods, dashboard, ONCE } from '../http/methods.ts';
import type { CallOptions, Transport } from '../http/transport.ts';
import type { Api, Checkout, Subscription } from '../http/api-types.ts';

/** The plan to buy, or to change to. */
export type CheckoutRequest = Api['POST /v1/billing/checkout']['input'];

/** Each checkout opens a new session and closes earlier ones, possibly the one in a lost answer. */
export const billingRoutes = {
  subscription: dashboard('GET', '/v1/billing/subscription'),
  checkout: dashboard('POST', '/v1/billing/checkout', ONCE),
  portal: dashboard('POST', '/v1/billing/portal'),
} as const;

/** The plan changes once the payment service has notified the routing service. */
export interface Billing {
  /**
   * Null before the first subscription; of several, the one that grants the best plan.
   * - `trialing`, `active`: the plan is granted.
   * - `past_due`: granted while the payment is retried.
   * - `unpaid`: suspended until the open invoices are paid.
   * - `paused`: suspended until there is a payment method; the trial ended without one.
   * - `incomplete`: the first payment is missing.
   * - `canceled`, `incomplete_expired`: ended, or never begun.
   */
  subscription(options?: CallOptions): Promise<{ subscription: Subscription | null }>;
  /** A page that sells the plan or changes the subscription. It works once, for a short time. */
  checkout(request: CheckoutRequest, options?: CallOptions): Promise<Checkout>;
  /** Subscription, payment method, invoices. `no_subscription` before the first purchase. */
  portal(options?: CallOptions): Promise<{ url: string }>;
}

export function createBilling(transport: Transport): Billing {
  const { plain, withBody } = createMethods(transport);
  return {
    subscription: plain(billingRoutes.subscription),
    checkout: withBody(billingRoutes.checkout),
    portal: plain(billingRoutes.portal),
  };
}
