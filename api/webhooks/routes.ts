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
      summary: 'Add a webhook: events are sent to your address by POST',
      description:
        'Messages are signed according to Standard Webhooks; only this answer contains the secret. `slack` sends a text with a link, in the format of a chat channel, and its URL is a secret too: only this answer contains it. The URL must use `https` and an allowed port, and its host must have public addresses only. An account can have at most ten webhooks.',
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
      summary: 'List the webhooks, oldest first',
      description: 'Secrets are left out, and URLs of format `slack` are masked.',
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
      description: 'Pending deliveries are dropped.',
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
      summary: 'List the last 100 deliveries of a webhook, newest first',
      description:
        'Attempts are made after 0 s, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, each counted from the end of the previous attempt. Any 2xx answer within 15 s is a success. Deliveries are kept for 30 days.',
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
        'Works for a disabled webhook too. The result is among the deliveries. 429 `rate_limited` while ten tests of the account are pending.',
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
      summary: 'Rotate the secret',
      description:
        'Messages are signed with both secrets for 24 hours. Only this answer contains the new one.',
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
      summary: 'Enable a disabled webhook',
      description:
        'Events that occurred while it was disabled are not delivered. Has no effect on an enabled webhook.',
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
