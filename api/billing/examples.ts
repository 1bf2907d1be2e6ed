import type { Examples } from '../http/examples.ts';

export const BILLING_EXAMPLES: Examples = {
  'GET /v1/billing/subscription': {
    replies: { 200: { subscription: { status: 'past_due', plan: 'growth' } } },
  },
  'POST /v1/billing/checkout': {
    body: { plan: 'starter' },
    replies: {
      200: { url: 'https://checkout.stripe.com/c/pay/cs_live_a1b2c3', sessionId: 'cs_live_a1b2c3' },
    },
  },
  'POST /v1/billing/portal': {
    body: {},
    replies: { 200: { url: 'https://billing.stripe.com/p/session/live_a1b2c3' } },
  },
  'POST /v1/billing/webhook': {
    body: {
      id: 'evt_1QExample',
      type: 'customer.subscription.updated',
      created: 1_795_176_000,
      data: {
        object: {
          id: 'sub_1QExample',
          object: 'subscription',
          status: 'active',
          customer: 'cus_Example',
          metadata: { accountId: 'acme' },
          items: { data: [{ price: { id: '<STRIPE_PRICE_STARTER>' } }] },
        },
      },
    },
    replies: { 200: { received: true } },
  },
};
