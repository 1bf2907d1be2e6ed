import { Type } from 'typebox';
import { DELIVERY_STATUSES } from '../../domain/webhooks/delivery.ts';
import { EVENT_TYPES } from '../../domain/webhooks/event.ts';
import { FORMATS, MAX_URL_LENGTH } from '../../domain/webhooks/webhook.ts';
import { closed, Id, nullable, oneOf, Time } from '../http/schemas.ts';

/** Requests and answers of webhooks. */

export const WebhookRequest = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: MAX_URL_LENGTH,
      description: 'https, without a user name; the host must have public addresses only',
    }),
    events: Type.Array(oneOf(EVENT_TYPES), { minItems: 1, uniqueItems: true }),
    format: Type.Optional(oneOf(FORMATS)),
  },
  closed,
);

const webhook = {
  webhookId: Id,
  url: Type.String({
    description: 'masked for format `slack`, except in the answer to the call that adds it',
  }),
  events: Type.Array(oneOf(EVENT_TYPES)),
  format: oneOf(FORMATS),
  createdAt: Time,
  disabledAt: nullable(
    Type.String({
      description: 'set if the receiver answered 410, or no attempt succeeded for five days',
    }),
  ),
};

export const WebhookView = Type.Object(webhook);
const Secret = Type.String({
  description: 'a Standard Webhooks secret: `whsec_` and base64; shown once',
});
export const AddedWebhook = Type.Object({ ...webhook, secret: Secret });
export const WebhookList = Type.Object({ items: Type.Array(WebhookView) });
export const WebhookId = Type.Object({ webhookId: Id }, closed);
export const RotatedSecret = Type.Object({ secret: Secret });
export const TestedWebhook = Type.Object({ eventId: Id });

export const DeliveryList = Type.Object({
  items: Type.Array(
    Type.Object({
      eventId: Id,
      type: Type.String(),
      status: oneOf(DELIVERY_STATUSES),
      attempts: Type.Integer({ minimum: 0 }),
      lastStatus: nullable(
        Type.Integer({ description: 'status of the last answer; null: there was none' }),
      ),
      lastError: nullable(Type.String({ description: 'why there was no answer' })),
      createdAt: Time,
      nextAttemptAt: nullable(Time),
    }),
  ),
});
