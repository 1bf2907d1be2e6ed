import type { CallOptions, Route, Transport } from '../http/transport.ts';

export interface CheckoutRequest {
  /** The plan to buy, or to change to. */
  plan: 'starter' | 'growth';
}

/** A page for the person who pays; it works once, for a short time. */
export interface Checkout {
  /** The page that sells the plan or, with a running subscription, changes it. */
  url: string;
  sessionId: string;
}

/** Each checkout opens a new session and closes earlier ones, possibly the one in a lost answer. */
export const billingRoutes = {
  checkout: {
    method: 'POST',
    path: '/v1/billing/checkout',
    auth: 'dashboard',
    repeat: 'unless_started',
  },
  portal: { method: 'POST', path: '/v1/billing/portal', auth: 'dashboard', repeat: 'safe' },
} as const satisfies Record<string, Route>;

/** The account's subscription. The plan changes once the payment service has notified the routing service. */
export interface Billing {
  checkout(request: CheckoutRequest, options?: CallOptions): Promise<Checkout>;
  /** Subscription, payment method, invoices. `no_subscription` before the first purchase. */
  portal(options?: CallOptions): Promise<{ url: string }>;
}

export function createBilling(transport: Transport): Billing {
  return {
    checkout: (request, options = {}) =>
      transport.call(billingRoutes.checkout, { ...options, body: request }),
    portal: (options = {}) => transport.call(billingRoutes.portal, { ...options, body: {} }),
  };
}
