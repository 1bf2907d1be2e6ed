import type { AddedWebhook, Api, Webhook, WebhookDelivery } from '../http/api-types.ts';
import type { CallOptions, Route, Transport } from '../http/transport.ts';

/** A rotation creates a secret, and adding a webhook too, so they are repeated only if they had no effect. */
export const webhookRoutes = {
  add: { method: 'POST', path: '/v1/webhooks', auth: 'dashboard', repeat: 'unless_started' },
  list: { method: 'GET', path: '/v1/webhooks', auth: 'dashboard' },
  remove: {
    method: 'DELETE',
    path: '/v1/webhooks/{webhookId}',
    auth: 'dashboard',
    repeat: 'unless_started',
  },
  deliveries: { method: 'GET', path: '/v1/webhooks/{webhookId}/deliveries', auth: 'dashboard' },
  test: {
    method: 'POST',
    path: '/v1/webhooks/{webhookId}/test',
    auth: 'dashboard',
    repeat: 'unless_started',
  },
  rotate: {
    method: 'POST',
    path: '/v1/webhooks/{webhookId}/rotate',
    auth: 'dashboard',
    repeat: 'unless_started',
  },
  enable: { method: 'POST', path: '/v1/webhooks/{webhookId}/enable', auth: 'dashboard' },
} as const satisfies Record<string, Route>;

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
  const of = (webhookId: string, options: CallOptions) => ({
    ...options,
    parameters: { webhookId },
  });
  return {
    add: (request, options = {}) =>
      transport.call(webhookRoutes.add, { ...options, body: request }),
    list: (options = {}) => transport.call(webhookRoutes.list, options),
    async remove(webhookId, options = {}) {
      await transport.call(webhookRoutes.remove, of(webhookId, options));
    },
    deliveries: (webhookId, options = {}) =>
      transport.call(webhookRoutes.deliveries, of(webhookId, options)),
    test: (webhookId, options = {}) =>
      transport.call(webhookRoutes.test, { ...of(webhookId, options), body: {} }),
    rotate: (webhookId, options = {}) =>
      transport.call(webhookRoutes.rotate, { ...of(webhookId, options), body: {} }),
    enable: (webhookId, options = {}) =>
      transport.call(webhookRoutes.enable, { ...of(webhookId, options), body: {} }),
  };
}
