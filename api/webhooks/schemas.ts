import { Type } from 'typebox';
import { DELIVERY_STATUSES } from '../../domain/webhooks/delivery.ts';
import { EVENT_TYPES } from '../../domain/webhooks/event.ts';
import { FORMATS, MAX_URL_LENGTH } from '../../domain/webhooks/webhook.ts';
import { closed, example, ids, nullable, oneOf, Time } from '../http/schemas.ts';

/** Requests and answers of webhooks. */

const URL = 'https://example.com/hooks/storage';
const EVENTS: (typeof EVENT_TYPES)[number][] = ['scan.completed', 'verdict.changed'];

export const WebhookRequest = Type.Object(
  {
    url: example(
      Type.String({
        minLength: 1,
        maxLength: MAX_URL_LENGTH,
        description: 'https, without a user name; the host must have public addresses only',
      }),
      URL,
    ),
    events: example(Type.Array(oneOf(EVENT_TYPES), { minItems: 1, uniqueItems: true }), EVENTS),
    format: Type.Optional(example(oneOf(FORMATS), 'standard')),
  },
  closed,
);

const webhook = {
  webhookId: ids.webhook,
  url: example(
    Type.String({
      description: 'masked for format `slack`, except in the answer to the call that adds it',
    }),
    URL,
  ),
  events: example(Type.Array(oneOf(EVENT_TYPES)), EVENTS),
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
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
  description: 'a Standard Webhooks secret: `whsec_` and base64; shown once',
});
export const AddedWebhook = Type.Object({ ...webhook, secret: Secret });
export const WebhookList = Type.Object({ items: Type.Array(WebhookView) });
export const WebhookId = Type.Object({ webhookId: ids.webhook }, closed);
export const RotatedSecret = Type.Object({ secret: Secret });
export const TestedWebhook = Type.Object({ eventId: ids.event });

export const DeliveryView = Type.Object({
  eventId: ids.event,
  type: example(Type.String(), 'scan.completed'),
  status: example(oneOf(DELIVERY_STATUSES), 'retrying'),
  attempts: example(Type.Integer({ minimum: 0 }), 1),
  lastStatus: nullable(
    example(Type.Integer({ description: 'status of the last answer; null: there was none' }), 503),
  ),
  lastError: nullable(Type.String({ description: 'why there was no answer' })),
  createdAt: Time,
  nextAttemptAt: nullable(example(Time, '2026-11-20T12:04:36.000Z')),
});

export const DeliveryList = Type.Object({ items: Type.Array(DeliveryView) });
