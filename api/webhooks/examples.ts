import type { Examples } from '../http/examples.ts';

const webhookId = '4d1f0c7e-8a52-4b3f-9a6e-1c2d3e4f5a6b';
const eventId = '9b7c2f10-6d4e-4f8a-b1c3-7e5d4c3b2a19';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const WEBHOOK = {
  webhookId,
  url: 'https://example.com/hooks/storage',
  events: ['scan.completed', 'verdict.changed'],
  format: 'standard',
  createdAt: '2026-11-20T12:00:00.000Z',
  disabledAt: null,
};
const parameters = { webhookId };

export const WEBHOOK_EXAMPLES: Examples = {
  'POST /v1/webhooks': {
    body: { url: WEBHOOK.url, events: WEBHOOK.events, format: 'standard' },
    replies: { 201: { ...WEBHOOK, secret: SECRET } },
  },
  'GET /v1/webhooks': { replies: { 200: { items: [WEBHOOK] } } },
  'DELETE /v1/webhooks/{webhookId}': { parameters, replies: {} },
  'GET /v1/webhooks/{webhookId}/deliveries': {
    parameters,
    replies: {
      200: {
        items: [
          {
            eventId,
            type: 'scan.completed',
            status: 'retrying',
            attempts: 1,
            lastStatus: 503,
            lastError: null,
            createdAt: '2026-11-20T12:04:31.000Z',
            nextAttemptAt: '2026-11-20T12:04:36.000Z',
          },
        ],
      },
    },
  },
  'POST /v1/webhooks/{webhookId}/test': { parameters, body: {}, replies: { 202: { eventId } } },
  'POST /v1/webhooks/{webhookId}/rotate': {
    parameters,
    body: {},
    replies: { 200: { secret: SECRET } },
  },
  'POST /v1/webhooks/{webhookId}/enable': { parameters, body: {}, replies: { 200: WEBHOOK } },
};
