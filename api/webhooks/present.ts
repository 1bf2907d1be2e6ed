import type { Delivery } from '../../adapters/mongo/webhooks/deliveries.ts';
import { shownUrl, type Webhook } from '../../domain/webhooks/webhook.ts';
import type { View } from '../http/route.ts';
import type { DeliveryView, WebhookView } from './schemas.ts';

export function presentWebhook(webhook: Webhook): View<typeof WebhookView> {
  const { webhookId, events, format } = webhook;
  const createdAt = webhook.createdAt.toISOString();
  const disabledAt = webhook.disabledAt?.toISOString() ?? null;
  const url = shownUrl(webhook);
  return { webhookId, url, events, format, createdAt, disabledAt };
}

export function presentDelivery(delivery: Delivery): View<typeof DeliveryView> {
  const { eventId, type, status, attempts, lastStatus, lastError } = delivery;
  return {
    eventId,
    type,
    status,
    attempts,
    lastStatus,
    lastError,
    createdAt: delivery.createdAt.toISOString(),
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
  };
}
