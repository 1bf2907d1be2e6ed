import {
  addWebhook,
  enableWebhook,
  listDeliveries,
  removeWebhook,
  rotateSecret,
  testWebhook,
  type WebhookDeps,
} from '../../operations/webhooks/webhooks.ts';
import { presentDelivery, presentWebhook } from './present.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { Empty, NoContent } from '../http/schemas.ts';
import {
  AddedWebhook,
  DeliveryList,
  RotatedSecret,
  TestedWebhook,
  WebhookId,
  WebhookList,
  WebhookRequest,
  WebhookView,
} from './schemas.ts';

const PATH = '/v1/webhooks/{webhookId}';

export function createWebhookRoutes(deps: WebhookDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/webhooks',
      auth: 'dashboard',
      summary: 'Receive events by a POST to an address of yours',
      description:
        'Signed as Standard Webhooks says; the secret is in this answer only. `slack` sends a text and a link instead, as a channel takes it. The address must be `https`, on an allowed port, and its host must have public addresses only. The address for `slack` is a secret too: it is in this answer only. An account has at most ten.',
      body: WebhookRequest,
      replies: { 201: AddedWebhook },
      refusals: ['too_many_webhooks'],
      mayTakeLong: () => true,
      async handle({ actor, body }) {
        const { webhook, secret } = await addWebhook(deps, actor, body);
        return { status: 201, body: { ...presentWebhook(webhook), url: body.url, secret } };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/webhooks',
      auth: 'dashboard',
      summary: 'The webhooks, the oldest first',
      description: 'Without their secrets; of an address for `slack` only what is no secret.',
      replies: { 200: WebhookList },
      refusals: [],
      async handle({ actor }) {
        const items = await deps.webhooks.listWebhooks(actor.accountId);
        return { status: 200, body: { items: items.map(presentWebhook) } };
      },
    }),

    defineRoute({
      method: 'DELETE',
      path: PATH,
      auth: 'dashboard',
      summary: 'Remove a webhook',
      description: 'Events that were not delivered yet are no longer delivered.',
      params: WebhookId,
      replies: { 204: NoContent },
      refusals: ['webhook_not_found'],
      async handle({ actor, params: { webhookId } }) {
        await removeWebhook(deps, actor, webhookId);
        return { status: 204 };
      },
    }),

    defineRoute({
      method: 'GET',
      path: `${PATH}/deliveries`,
      auth: 'dashboard',
      summary: 'The last 100 deliveries of a webhook, the newest first',
      description:
        'Attempts are made after 0 s, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, each counted from the end of the one before. Any 2xx within 15 s is a success. Kept for 30 days.',
      params: WebhookId,
      replies: { 200: DeliveryList },
      refusals: ['webhook_not_found'],
      async handle({ actor, params: { webhookId } }) {
        const items = await listDeliveries(deps, actor, webhookId);
        return { status: 200, body: { items: items.map(presentDelivery) } };
      },
    }),

    defineRoute({
      method: 'POST',
      path: `${PATH}/test`,
      auth: 'dashboard',
      summary: 'Send an event of type webhook.test',
      description:
        'Also to a disabled webhook. The deliveries say what became of it. 429 `rate_limited` while ten tests of the account wait.',
      params: WebhookId,
      body: Empty,
      replies: { 202: TestedWebhook },
      refusals: ['webhook_not_found'],
      async handle({ actor, params: { webhookId } }) {
        return { status: 202, body: { eventId: await testWebhook(deps, actor, webhookId) } };
      },
    }),

    defineRoute({
      method: 'POST',
      path: `${PATH}/rotate`,
      auth: 'dashboard',
      summary: 'Replace the secret',
      description: 'Both sign for 24 hours; the new one is in this answer only.',
      params: WebhookId,
      body: Empty,
      replies: { 200: RotatedSecret },
      refusals: ['webhook_not_found'],
      async handle({ actor, params: { webhookId } }) {
        return { status: 200, body: { secret: await rotateSecret(deps, actor, webhookId) } };
      },
    }),

    defineRoute({
      method: 'POST',
      path: `${PATH}/enable`,
      auth: 'dashboard',
      summary: 'Send events to a disabled webhook again',
      description:
        'Events of the time in between are not delivered. No effect on one that is not disabled.',
      params: WebhookId,
      body: Empty,
      replies: { 200: WebhookView },
      refusals: ['webhook_not_found'],
      async handle({ actor, params: { webhookId } }) {
        const webhook = await enableWebhook(deps, actor, webhookId);
        return { status: 200, body: presentWebhook(webhook) };
      },
    }),
  ];
}
