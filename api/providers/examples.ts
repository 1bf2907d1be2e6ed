import { s3CorsRules } from '../../domain/providers/cors.ts';
import type { Examples } from '../http/examples.ts';

const STORE = {
  provider: 'r2',
  bucketName: 'acme-hot',
  region: 'auto',
  accountId: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  jurisdiction: 'eu',
};
const STORED = {
  ...STORE,
  accessKeyIdMasked: '1a2b…9f3c',
  createdAt: '2026-11-20T11:50:00.000Z',
  updatedAt: '2026-11-20T11:50:00.000Z',
};

const FORMER_PLACE = {
  bucketName: 'acme-hot-2025',
  region: 'auto',
  accountId: '9a8b7c6d5e4f30211203f4e5d6c7b8a9',
  accessKeyIdMasked: '7c6d…4f30',
  files: 120,
  bytes: 7_340_032_000,
  since: '2026-11-20T11:50:00.000Z',
};

export const PROVIDER_EXAMPLES: Examples = {
  'POST /v1/providers': {
    body: {
      ...STORE,
      accessKeyId: '1a2b3c4d5e6f7a8b9c0d1e2f3a4b9f3c',
      secretAccessKey: '<write-only>',
    },
    replies: { 200: STORED },
  },
  'GET /v1/providers': {
    replies: { 200: { items: [{ ...STORED, paused: null, formerPlaces: [FORMER_PLACE] }] } },
  },
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
            limits: {
              singlePutBytes: 5_363_466_240,
              objectBytes: 5_492_189_429_760,
              parts: 10_000,
            },
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
          { name: 'missing_object', ok: true, latencyMs: 21.7 },
          { name: 'conditional_put', ok: true, latencyMs: 31.6, supported: true },
          { name: 'conditional_delete', ok: true, latencyMs: 33.2, supported: false },
          { name: 'content_md5', ok: true, latencyMs: 14.4, supported: true },
          { name: 'list_order', ok: true, latencyMs: 72.8, supported: true },
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
