import { s3CorsRules } from '../../domain/provider/cors.ts';
import { type Examples, ROUTING, SAMPLE } from '../http/examples.ts';

const HEALTH = {
  status: 'ok',
  version: '0.1',
  architecture: '2.0',
  dependencies: { mongodb: 'up', temporal: 'up' },
};
const STORE = {
  provider: 'r2',
  bucketName: 'acme-hot',
  region: 'auto',
  accountId: '0f1e2d3c4b5a',
  jurisdiction: 'eu',
};
const STORED = {
  ...STORE,
  accessKeyIdMasked: '1a2b…9f3c',
  createdAt: '2026-11-20T11:50:00.000Z',
  updatedAt: '2026-11-20T11:50:00.000Z',
};

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
  'GET /health': { replies: { 200: HEALTH } },
  'GET /ready': { replies: { 200: HEALTH } },
  'GET /v1/me': { replies: { 200: ME } },
  'GET /v1/account': { replies: { 200: ME } },
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
  'POST /v1/providers': {
    body: {
      ...STORE,
      accessKeyId: '1a2b3c4d5e6f7a8b9c0d1e2f3a4b9f3c',
      secretAccessKey: '<write-only>',
    },
    replies: { 200: STORED },
  },
  'GET /v1/providers': { replies: { 200: { items: [STORED] } } },
  'GET /v1/providers/catalogue': {
    replies: {
      200: {
        items: [
          {
            provider: 'r2',
            title: 'Cloudflare R2',
            kind: 'edge',
            regionPattern: '^auto$',
            regionExample: 'auto',
            needsAccountId: true,
            jurisdictions: ['eu', 'fedramp'],
            limits: { singlePutBytes: 5_363_466_240, objectBytes: 5_492_189_429_760 },
            documentation: 'https://developers.cloudflare.com/r2/api/tokens/',
          },
        ],
      },
    },
  },
  'DELETE /v1/providers/{provider}': { parameters: { provider: 'b2' }, replies: {} },
  'POST /v1/providers/test': {
    body: { provider: 'r2', origin: 'https://app.example.com' },
    replies: {
      200: {
        provider: 'r2',
        ok: false,
        checks: [
          { name: 'write', ok: true, latencyMs: 41.2 },
          { name: 'head', ok: true, latencyMs: 12.9 },
          { name: 'read', ok: true, latencyMs: 15.3 },
          { name: 'delete', ok: true, latencyMs: 18.1 },
          {
            name: 'cors',
            ok: false,
            latencyMs: 9.7,
            error: {
              code: 'cors_refused',
              message:
                'a browser would not send an upload from this origin: no rule of the bucket allows the origin, PUT and content-type',
            },
            corsRule: s3CorsRules('https://app.example.com'),
          },
        ],
      },
    },
  },
};

const ROUTED = { gbRouted: 0.000048213, savedVsAwsUsd: 0.000005 };
const BY_PROVIDER = [{ provider: 'r2', files: 1, ...ROUTED }];
const MONTHS = 12;
const HISTORY_ITEM = {
  fileId: SAMPLE.fileId,
  fileName: 'chart.png',
  fileSizeBytes: 48_213,
  priority: 'hot',
  provider: 'r2',
  preferredProvider: 'r2',
  status: 'active',
  savedVsAwsUsd: 0.000005,
  routingWarning: null,
  createdAt: '2026-11-20T12:00:00.000Z',
};

export const ANALYTICS_EXAMPLES: Examples = {
  'GET /v1/analytics/summary': {
    replies: {
      200: {
        files: { pending: 0, active: 1, deleted: 0, expired: 0 },
        ...ROUTED,
        byProvider: BY_PROVIDER,
        currentMonth: { month: '2026-11', uploads: 1, ...ROUTED },
      },
    },
  },
  'GET /v1/analytics/monthly': {
    replies: {
      200: {
        months: Array.from({ length: MONTHS }, (_, index) => {
          const month = new Date(Date.UTC(2025, 11 + index)).toISOString().slice(0, 7);
          return index === MONTHS - 1
            ? { month, uploads: 1, ...ROUTED, byProvider: BY_PROVIDER }
            : { month, uploads: 0, gbRouted: 0, savedVsAwsUsd: 0, byProvider: [] };
        }),
      },
    },
  },
  'GET /v1/analytics/routing-history': {
    parameters: { limit: 10, offset: 0 },
    replies: {
      200: {
        items: [HISTORY_ITEM],
        total: 1,
        limit: 10,
        offset: 0,
      },
    },
  },
  'GET /v1/analytics/routing-history/{fileId}': {
    parameters: { fileId: SAMPLE.fileId },
    replies: { 200: { ...HISTORY_ITEM, routing: ROUTING } },
  },
};
