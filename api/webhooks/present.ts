import type { Delivery } from '../../adapters/mongo/deliveries.ts';
import type { Webhook } from '../../domain/webhooks/webhook.ts';

export function presentWebhook({ webhookId, url, events, format, ...times }: Webhook) {
  const createdAt = times.createdAt.toISOString();
  const disabledAt = times.disabledAt?.toISOString() ?? null;
  return { webhookId, url, events: [...events], format, createdAt, disabledAt };
}

export function presentDelivery(delivery: Delivery) {
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
