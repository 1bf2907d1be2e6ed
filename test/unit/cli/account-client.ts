import type * as sdk from '../../../sdk/src/index.ts';
import { exampleOf, itemOf } from '../examples.ts';
import { CONNECTION_ID, type FakeClient } from './terminal.ts';

export const EXTERNAL_ID = 'canary-external-id';
export const NEW_KEY = 'svc_test_new';

export const me = exampleOf<sdk.Me>('GET /v1/me');
const saved = itemOf<sdk.ProviderInfo>('GET /v1/providers', { bucketName: 'mine\u001B[2J' });
export const connection = exampleOf<sdk.Connection>('POST /v1/scanner/connect', {
  connectionId: CONNECTION_ID,
  externalId: EXTERNAL_ID,
  warnings: ['no condition'],
});
const { bucketCount, createdAt, schedule } = connection;
/** Of a store, whose stored credentials are audited. */
const storeConnection: sdk.Connection = {
  connectionId: CONNECTION_ID,
  provider: 'b2',
  buckets: ['media', 'backups'],
  bucketCount,
  warnings: [],
  createdAt,
  schedule,
};

const storeOf = (changes: Partial<sdk.ProviderDescription>) =>
  itemOf<sdk.ProviderDescription>('GET /v1/providers/catalogue', changes);
const REGIONS = {
  needsAccountId: false,
  jurisdictions: [],
  regionPattern: '^[a-z]{2}-[a-z]+-\\d+$',
  regionExample: 'us-west-004',
};
export const catalogue = async () => ({
  items: [
    storeOf({ provider: 'aws', ...REGIONS }),
    storeOf({ jurisdictions: ['eu'] }),
    storeOf({ provider: 'b2', ...REGIONS }),
  ],
});

const failed = { ok: false, latencyMs: 1 };
export const failedCors = (origin: string) => ({
  name: 'cors' as const,
  ...failed,
  error: { code: 'cors_refused', message: 'no rule' },
  corsRule: [{ allowedOrigins: [origin] }],
});
const failedWrite = { name: 'write' as const, ...failed, error: { code: 'x', message: 'no' } };
/** The store has no such condition, which is no failure. */
const overwrites = { name: 'conditional_put' as const, ok: true, latencyMs: 1, supported: false };
const october = { month: '2026-10', uploads: 3, gbRouted: 2.5, savedVsAwsUsd: 0.05 };

/** A client with one account, and what it was asked to change. */
export function accountClient() {
  const saves: sdk.SaveProviderRequest[] = [];
  const connects: sdk.ConnectRequest[] = [];
  const asked = { saved: saves, connected: connects, rotated: 0 };
  const client = {
    me: async () => me,
    account: async () => ({ ...me, accountId: 'of-the-token' }),
    billing: { subscription: async () => ({ subscription: null }) },
    analytics: {
      summary: async () => ({
        files: { pending: 1, active: 2, deleted: 1, expired: 0 },
        gbRouted: 2.5,
        savedVsAwsUsd: 0.05,
        byProvider: [{ provider: 'r2', files: 3, gbRouted: 2.5, savedVsAwsUsd: 0.05 }],
        currentMonth: october,
      }),
      monthly: async () => {
        const september = { ...october, month: '2026-09', uploads: 0, byProvider: [] };
        return { months: [september, { ...october, byProvider: [] }] };
      },
    },
    providers: {
      catalogue,
      list: async () => ({ items: [saved] }),
      save: async (request) => {
        asked.saved.push(request);
        return saved;
      },
      test: async (provider, { origin } = {}) => {
        const cors = origin === undefined ? [] : [failedCors(origin)];
        const checks = [failedWrite, ...cors, overwrites];
        return { provider, ok: provider === 'r2', checks };
      },
      delete: async () => {},
    },
    apiKey: { get: async () => ({ apiKey: null }) },
    keys: {
      rotate: async () => {
        asked.rotated += 1;
        return { newApiKey: NEW_KEY, rotatedAt: 'now' };
      },
    },
    scanner: {
      connect: async (request) => {
        asked.connected.push(request);
        return 'provider' in request ? storeConnection : connection;
      },
      connections: async () => ({ items: [connection, storeConnection] }),
      disconnect: async () => {},
    },
  } satisfies FakeClient;
  return { client, asked };
}
