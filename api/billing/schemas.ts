import { Type } from 'typebox';
import { PAID_PLANS, SUBSCRIPTION_STATUSES } from '../../domain/accounts/subscription.ts';
import { closed, example, nullable, oneOf } from '../http/schemas.ts';

export const CheckoutRequest = Type.Object({ plan: oneOf(PAID_PLANS) }, closed);

export const CheckoutView = Type.Object({
  url: example(Type.String(), 'https://checkout.stripe.com/c/pay/cs_live_a1b2c3'),
  sessionId: example(Type.String(), 'cs_live_a1b2c3'),
});

export const PortalView = Type.Object({
  url: example(Type.String(), 'https://billing.stripe.com/p/session/live_a1b2c3'),
});

export const SubscriptionView = Type.Object({
  subscription: nullable(
    Type.Object({
      status: example(oneOf(SUBSCRIPTION_STATUSES), 'past_due'),
      plan: nullable(example(oneOf(PAID_PLANS), 'growth')),
    }),
  ),
});

/** The fields that every event has; further fields are allowed. */
export const SignedEvent = Type.Object(
  {
    id: example(Type.String({ minLength: 1, maxLength: 255 }), 'evt_1QExample'),
    type: example(Type.String({ minLength: 1, maxLength: 255 }), 'customer.subscription.updated'),
  },
  { additionalProperties: true },
);

export const EventReceived = Type.Object({ received: Type.Literal(true) });
