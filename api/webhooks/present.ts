import type { Delivery } from '../../adapters/mongo/webhooks/deliveries.ts';
import { shownUrl, type Webhook } from '../../domain/webhooks/webhook.ts';
import { toView, type View } from '../http/route.ts';
import { DeliveryView, WebhookView } from './schemas.ts';

export function presentWebhook(webhook: Webhook): View<typeof WebhookView> {
  return toView(WebhookView, { ...webhook, url: shownUrl(webhook) });
}

export function presentDelivery(delivery: Delivery): View<typeof DeliveryView> {
  return toView(DeliveryView, delivery);
}
