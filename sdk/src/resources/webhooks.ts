import { createMethods, dashboard, ONCE } from '../http/methods.ts';
import type { CallOptions, Transport } from '../http/transport.ts';
import type { AddedWebhook, Api, Webhook, WebhookDelivery } from '../http/api-types.ts';

/** A rotation and a new webhook create a secret. */
export const webhookRoutes = {
  add: dashboard('POST', '/v1/webhooks', ONCE),
  list: dashboard('GET', '/v1/webhooks'),
  remove: dashboard('DELETE', '/v1/webhooks/{webhookId}', ONCE),
  deliveries: dashboard('GET', '/v1/webhooks/{webhookId}/deliveries'),
  test: dashboard('POST', '/v1/webhooks/{webhookId}/test', ONCE),
  rotate: dashboard('POST', '/v1/webhooks/{webhookId}/rotate', ONCE),
  enable: dashboard('POST', '/v1/webhooks/{webhookId}/enable'),
} as const;

/** An `https` address, and the events that it receives. */
export type WebhookRequest = Api['POST /v1/webhooks']['input'];

/** The addresses that receive events. */
export interface Webhooks {
  /** Returns the secret, this once: a receiver needs it to verify the signature. */
  add(request: WebhookRequest, options?: CallOptions): Promise<AddedWebhook>;
  /** The oldest first. */
  list(options?: CallOptions): Promise<{ items: Webhook[] }>;
  remove(webhookId: string, options?: CallOptions): Promise<void>;
  /** The last 100, the newest first. */
  deliveries(webhookId: string, options?: CallOptions): Promise<{ items: WebhookDelivery[] }>;
  /** Sends an event of type `webhook.test`. */
  test(webhookId: string, options?: CallOptions): Promise<{ eventId: string }>;
  /** Returns a new secret, this once. The one before signs too for 24 hours. */
  rotate(webhookId: string, options?: CallOptions): Promise<{ secret: string }>;
  /** Tells a disabled one of events again. */
  enable(webhookId: string, options?: CallOptions): Promise<Webhook>;
}

export function createWebhooks(transport: Transport): Webhooks {
  const { plain, byId, remove, withBody } = createMethods(transport);
  return {
    add: withBody(webhookRoutes.add),
    list: plain(webhookRoutes.list),
    remove: remove(webhookRoutes.remove),
    deliveries: byId(webhookRoutes.deliveries),
    test: byId(webhookRoutes.test),
    rotate: byId(webhookRoutes.rotate),
    enable: byId(webhookRoutes.enable),
  };
}
