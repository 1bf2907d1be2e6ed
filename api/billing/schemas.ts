import { Type } from 'typebox';
import { PAID_PLANS, SUBSCRIPTION_STATUSES } from '../../domain/accounts/subscription.ts';
import { closed, nullable, oneOf } from '../http/schemas.ts';

export const CheckoutRequest = Type.Object({ plan: oneOf(PAID_PLANS) }, closed);

export const CheckoutView = Type.Object({ url: Type.String(), sessionId: Type.String() });

export const PortalView = Type.Object({ url: Type.String() });

export const SubscriptionView = Type.Object({
  subscription: nullable(
    Type.Object({ status: oneOf(SUBSCRIPTION_STATUSES), plan: nullable(oneOf(PAID_PLANS)) }),
  ),
});

/** The fields that every event has; further fields are allowed. */
export const SignedEvent = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 255 }),
    type: Type.String({ minLength: 1, maxLength: 255 }),
  },
  { additionalProperties: true },
);

export const EventReceived = Type.Object({ received: Type.Literal(true) });
