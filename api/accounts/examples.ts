import type { Examples } from '../http/examples.ts';

const ME = {
  accountId: 'acme',
  plan: 'starter',
  keyMode: 'live',
  providers: ['aws', 'r2'],
  usage: {
    period: '2026-11',
    gbRouted: 41.5,
    uploads: 1204,
    gbBooked: 41.75,
    uploadsBooked: 1210,
    gbQuota: 500,
    uploadQuota: 50_000,
  },
};

export const ACCOUNT_EXAMPLES: Examples = {
  'GET /v1/me': { replies: { 200: ME } },
  'GET /v1/account': { replies: { 200: ME } },
  'GET /v1/account/person': {
    replies: {
      200: {
        subject: 'auth0|65f0c2',
        name: 'Ada Example',
        mayChange: true,
        changingRoles: ['approver', 'admin'],
      },
    },
  },
  'GET /v1/account/activity': {
    replies: {
      200: {
        items: [
          {
            at: '2026-11-20T12:00:00.000Z',
            subject: 'auth0|65f0c2',
            name: 'Ada Example',
            action: 'migration.approved',
            on: '5f2b8e0a-6a3e-5d0c-9b1f-7c2d4e6f8a90',
            requestId: '0c3f5c1e-2f0b-4c0e-9a51-6d2f8f7b1a34',
          },
        ],
        total: 1,
        limit: 10,
        offset: 0,
      },
    },
  },
  'GET /v1/providers/api-key': {
    replies: {
      200: {
        apiKey: {
          masked: 'svc_live_1a2…9f3c',
          createdAt: '2026-11-01T09:00:00.000Z',
          lastUsedAt: '2026-11-20T12:00:00.000Z',
        },
      },
    },
  },
  'POST /v1/providers/api-key/regenerate': {
    body: {},
    replies: {
      200: {
        apiKey: 'svc_live_<uuid, shown this once>',
        createdAt: '2026-11-20T12:00:00.000Z',
      },
    },
  },
  'POST /v1/keys/rotate': {
    body: {},
    replies: {
      200: {
        newApiKey: 'svc_live_<uuid, shown this once>',
        rotatedAt: '2026-11-20T12:00:00.000Z',
      },
    },
  },
};
