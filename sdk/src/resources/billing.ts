import type { CallOptions, Route, Transport } from '../http/transport.ts';

export interface CheckoutRequest {
  /** The plan to buy, or to change to. */
  plan: 'starter' | 'growth';
}

/** A page to send the person to; it works once, for a short while. */
export interface Checkout {
  /** Where the plan is bought; with a subscription that runs, where it is changed. */
  url: string;
  sessionId: string;
}

/** Each checkout opens another one and closes those before it, perhaps the one that a lost answer named. */
export const billingRoutes = {
  checkout: {
    method: 'POST',
    path: '/v1/billing/checkout',
    auth: 'dashboard',
    repeat: 'unless_started',
  },
  portal: { method: 'POST', path: '/v1/billing/portal', auth: 'dashboard', repeat: 'safe' },
} as const satisfies Record<string, Route>;

/** What the account pays for. The plan changes when the payment service has told the routing service. */
export interface Billing {
  checkout(request: CheckoutRequest, options?: CallOptions): Promise<Checkout>;
  /** The subscription, the means of payment, the invoices. `no_subscription` before anything was bought. */
  portal(options?: CallOptions): Promise<{ url: string }>;
}

export function createBilling(transport: Transport): Billing {
  return {
    checkout: (request, options = {}) =>
      transport.call(billingRoutes.checkout, { ...options, body: request }),
    portal: (options = {}) => transport.call(billingRoutes.portal, { ...options, body: {} }),
  };
}
