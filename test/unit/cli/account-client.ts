import type {
  Connection,
  ConnectRequest,
  Me,
  Provider,
  ProviderDescription,
  ProviderInfo,
  SaveProviderRequest,
} from '../../../sdk/src/index.ts';
import { CONNECTION_ID, type FakeClient } from './terminal.ts';

export const EXTERNAL_ID = 'canary-external-id';
export const NEW_KEY = 'svc_test_new';

export const me: Me = {
  accountId: 'acme',
  plan: 'free',
  keyMode: 'test',
  providers: ['r2'],
  usage: {
    period: '2026-11',
    gbRouted: 1.5,
    uploads: 3,
    gbBooked: 2,
    uploadsBooked: 4,
    gbQuota: 10,
    uploadQuota: null,
  },
};
const saved: ProviderInfo = {
  provider: 'b2',
  bucketName: 'mine\u001B[2J',
  region: 'us-west-004',
  accessKeyIdMasked: 'AK…9',
  createdAt: 'then',
  updatedAt: 'now',
};
export const connection: Connection = {
  connectionId: CONNECTION_ID,
  roleArn: 'arn:aws:iam::1:role/r',
  externalId: EXTERNAL_ID,
  regions: ['us-east-1'],
  bucketCount: 2,
  warnings: ['no condition'],
  createdAt: 'then',
};

const store = (provider: Provider, others: Partial<ProviderDescription> = {}) => ({
  provider,
  title: provider,
  kind: 'archive' as const,
  regionPattern: '^[a-z]{2}-[a-z]+-\\d+$',
  regionExample: 'us-west-004',
  needsAccountId: false,
  jurisdictions: [],
  limits: { singlePutBytes: 5, objectBytes: 10 },
  documentation: 'https://provider.example/',
  ...others,
});
const ONE_REGION = { regionPattern: '^auto$', regionExample: 'auto' };
export const catalogue = (): Promise<{ items: ProviderDescription[] }> =>
  Promise.resolve({
    items: [
      store('aws'),
      store('r2', { ...ONE_REGION, needsAccountId: true, jurisdictions: ['eu'] }),
      store('b2'),
    ],
  });

export const failedCors = (origin: string) => ({
  name: 'cors' as const,
  ok: false,
  latencyMs: 1,
  error: { code: 'cors_refused', message: 'no rule' },
  corsRule: [{ allowedOrigins: [origin] }],
});

const october = { month: '2026-10', uploads: 3, gbRouted: 2.5, savedVsAwsUsd: 0.05 };

/** A client with one account, and what it was asked to change. */
export function accountClient() {
  const asked: { saved: SaveProviderRequest[]; connected: ConnectRequest[]; rotated: number } = {
    saved: [],
    connected: [],
    rotated: 0,
  };
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
      monthly: async () => ({
        months: [
          { ...october, month: '2026-09', uploads: 0, byProvider: [] },
          { ...october, byProvider: [] },
        ],
      }),
    },
    providers: {
      catalogue,
      list: async () => ({ items: [saved] }),
      save: async (request) => {
        asked.saved.push(request);
        return saved;
      },
      test: async (provider, { origin } = {}) => ({
        provider,
        ok: provider === 'r2',
        checks: [
          { name: 'write', ok: false, latencyMs: 1, error: { code: 'x', message: 'no' } },
          ...(origin === undefined ? [] : [failedCors(origin)]),
        ],
      }),
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
        return connection;
      },
      connections: async () => ({ items: [connection] }),
      disconnect: async () => {},
    },
  } satisfies FakeClient;
  return { client, asked };
}
