import { Type } from 'typebox';
import { PAID_PLANS } from '../../domain/subscription.ts';
import { closed, oneOf } from './common.ts';

export const CheckoutRequest = Type.Object({ plan: oneOf(PAID_PLANS) }, closed);

export const CheckoutView = Type.Object({ url: Type.String(), sessionId: Type.String() });

export const PortalView = Type.Object({ url: Type.String() });

/** As much of an event as every one has; the rest is the sender's affair, and may grow. */
export const SignedEvent = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 255 }),
    type: Type.String({ minLength: 1, maxLength: 255 }),
  },
  { additionalProperties: true },
);

export const EventReceived = Type.Object({ received: Type.Literal(true) });
