import type { StorageRoutingClient } from '../../../sdk/src/index.ts';
import { clientRoutes } from '../../../sdk/src/routes.ts';
import { API_KEY, DASHBOARD_TOKEN, json } from './servers.ts';

type Call = (client: StorageRoutingClient) => Promise<unknown>;

const KEYS = { accessKeyId: 'id', secretAccessKey: 'secret' };
const STORE = { provider: 'r2', ...KEYS, bucketName: 'b', region: 'auto', accountId: 'a' } as const;
const ROLE = { roleArn: 'arn:aws:iam::1:role/r', externalId: 'e', regions: ['us-east-1'] };
const FILE = { fileName: 'a', contentType: 'text/plain', fileSizeBytes: 5 };
const OPEN = { status: 'open', connectionId: 'c', limit: 5 } as const;
const COPYING = { status: 'copying', offset: 20 } as const;
const HOOK = { url: 'https://example.com/', events: ['scan.completed' as const] };
const WEEKLY = { every: 'week', hourUtc: 3 } as const;
const DAYS = { days: 30, reason: 'read in spring' };
const B2 = { targetProvider: 'b2' } as const;
const RELOCATION = {
  from: { provider: 'aws', bucketName: 'old' },
  to: 'b2',
  maxTotalUsd: 5,
};
const DRILL = { ...RELOCATION, sample: { files: 10 } };
const QUARTERLY = { every: 'quarter', hourUtc: 3, drill: DRILL } as const;
const ROUND = { maxTotalUsd: 5, removeAtMost: 1 };
const ORIGIN = { origin: 'https://app.example.com' };

/** Each call of the client, by the request that it sends, with the body of that request. */
const CALLS: Readonly<Record<string, readonly [call: Call, body?: object]>> = {
  'GET /health': [(c) => c.health()],
  'GET /v1/me': [(c) => c.me()],
  'GET /v1/account': [(c) => c.account()],
  'GET /v1/account/person': [(c) => c.person()],
  'GET /v1/account/activity?offset=20': [(c) => c.activity({ offset: 20 })],
  'POST /v1/upload/init': [(c) => c.init(FILE), FILE],
  'POST /v1/upload/complete': [(c) => c.complete('f'), { fileId: 'f' }],
  'POST /v1/upload/parts': [(c) => c.uploadParts('f', [1]), { fileId: 'f', partNumbers: [1] }],
  'POST /v1/upload/url': [(c) => c.uploadUrl('f'), { fileId: 'f' }],
  'GET /v1/file/a%2Fb%3Fc': [(c) => c.getFile('a/b?c')],
  'DELETE /v1/file/f': [(c) => c.deleteFile('f')],
  'POST /v1/providers': [(c) => c.providers.save(STORE), STORE],
  'GET /v1/providers': [(c) => c.providers.list()],
  'GET /v1/providers/catalogue': [(c) => c.providers.catalogue()],
  'DELETE /v1/providers/b2': [(c) => c.providers.delete('b2')],
  'POST /v1/providers/test': [(c) => c.providers.test('b2', ORIGIN), { provider: 'b2', ...ORIGIN }],
  'GET /v1/providers/api-key': [(c) => c.apiKey.get()],
  'POST /v1/providers/api-key/regenerate': [(c) => c.apiKey.regenerate(), {}],
  'POST /v1/keys/rotate': [(c) => c.keys.rotate(), {}],
  'GET /v1/scanner/service-identity': [(c) => c.scanner.serviceIdentity()],
  'POST /v1/scanner/connect': [(c) => c.scanner.connect(ROLE), ROLE],
  'GET /v1/scanner/connections': [(c) => c.scanner.connections()],
  'DELETE /v1/scanner/connections/c': [(c) => c.scanner.disconnect('c')],
  'PUT /v1/scanner/connections/c/schedule': [(c) => c.scanner.setSchedule('c', WEEKLY), WEEKLY],
  'DELETE /v1/scanner/connections/c/schedule': [(c) => c.scanner.removeSchedule('c')],
  'POST /v1/webhooks': [(c) => c.webhooks.add(HOOK), HOOK],
  'GET /v1/webhooks': [(c) => c.webhooks.list()],
  'DELETE /v1/webhooks/w': [(c) => c.webhooks.remove('w')],
  'GET /v1/webhooks/w/deliveries': [(c) => c.webhooks.deliveries('w')],
  'POST /v1/webhooks/w/test': [(c) => c.webhooks.test('w'), {}],
  'POST /v1/webhooks/w/rotate': [(c) => c.webhooks.rotate('w'), {}],
  'POST /v1/webhooks/w/enable': [(c) => c.webhooks.enable('w'), {}],
  'POST /v1/scanner/scan': [(c) => c.scanner.start('c'), { connectionId: 'c' }],
  'GET /v1/scanner/results/s': [(c) => c.scanner.results('s')],
  'GET /v1/scanner/results/s%2F1/progress': [(c) => c.scanner.progress('s/1')],
  'GET /v1/scanner/results/s/changes': [(c) => c.scanner.changes('s')],
  'GET /v1/scanner/recommendations/r%2F1': [(c) => c.scanner.recommendation('r/1')],
  'GET /v1/scanner/recommendations/r/example-key': [(c) => c.scanner.exampleKey('r')],
  'POST /v1/scanner/recommendations/r/dismiss': [(c) => c.scanner.dismiss('r', DAYS), DAYS],
  'DELETE /v1/scanner/recommendations/r/dismiss': [(c) => c.scanner.restore('r')],
  'GET /v1/scanner/history': [(c) => c.scanner.history()],
  'GET /v1/analytics/summary': [(c) => c.analytics.summary()],
  'GET /v1/analytics/monthly': [(c) => c.analytics.monthly()],
  'GET /v1/analytics/routing-history': [(c) => c.analytics.routingHistory()],
  'GET /v1/analytics/routing-history/f': [(c) => c.analytics.routedFile('f')],
  'GET /v1/scanner/recommendations?status=open&connectionId=c&limit=5': [
    (c) => c.scanner.recommendations(OPEN),
  ],
  'GET /v1/scanner/migrations?status=copying&offset=20': [(c) => c.migrations.list(COPYING)],
  'POST /v1/scanner/recommendations/r/approve': [(c) => c.migrations.approve('r', B2), B2],
  'GET /v1/scanner/migration/m': [(c) => c.migrations.get('m')],
  'POST /v1/scanner/migration/m/release': [(c) => c.migrations.beginRelease('m'), {}],
  'GET /v1/scanner/migration/m/release': [(c) => c.migrations.release('m')],
  'POST /v1/scanner/migration/m/rounds': [(c) => c.migrations.startRound('m', ROUND), ROUND],
  'POST /v1/scanner/migration/m/cancel': [(c) => c.migrations.cancel('m'), {}],
  'POST /v1/relocations': [(c) => c.relocations.start(RELOCATION), RELOCATION],
  'GET /v1/relocations': [(c) => c.relocations.list()],
  'GET /v1/relocations/r': [(c) => c.relocations.get('r')],
  'POST /v1/relocations/r/cancel': [(c) => c.relocations.cancel('r'), {}],
  'POST /v1/drills': [(c) => c.drills.start(DRILL), DRILL],
  'GET /v1/drills': [(c) => c.drills.list()],
  'PUT /v1/drills/schedule': [(c) => c.drills.setSchedule(QUARTERLY), QUARTERLY],
  'GET /v1/drills/schedule': [(c) => c.drills.schedule()],
  'DELETE /v1/drills/schedule': [(c) => c.drills.removeSchedule()],
  'GET /v1/drills/d': [(c) => c.drills.get('d')],
  'POST /v1/drills/d/cancel': [(c) => c.drills.cancel('d'), {}],
  'GET /v1/drills/d/certificate': [(c) => c.drills.certificate('d')],
  'GET /v1/billing/subscription': [(c) => c.billing.subscription()],
  'POST /v1/billing/checkout': [(c) => c.billing.checkout({ plan: 'growth' }), { plan: 'growth' }],
  'POST /v1/billing/portal': [(c) => c.billing.portal(), {}],
};

/** The calls that begin something, or that cannot be told from a repeat. */
const STARTING = new Set([
  'POST /v1/upload/init',
  'POST /v1/providers/api-key/regenerate',
  'POST /v1/keys/rotate',
  'POST /v1/billing/checkout',
  'POST /v1/scanner/scan',
  'POST /v1/relocations',
  'POST /v1/drills',
  'POST /v1/scanner/migration/m/rounds',
  'DELETE /v1/scanner/connections/c',
  'POST /v1/webhooks',
  'DELETE /v1/webhooks/w',
  'POST /v1/webhooks/w/test',
  'POST /v1/webhooks/w/rotate',
]);

/** The credential of the route that the request is for. */
function credentialFor(sent: string): string | undefined {
  const route = clientRoutes.find(({ method, path }) =>
    new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}(?:\\?.*)?$`).test(sent),
  );
  if (route?.auth === 'dashboard') return `Bearer ${DASHBOARD_TOKEN}`;
  return route?.auth === 'apiKey' ? `Bearer ${API_KEY}` : undefined;
}

export const everyCall = Object.entries(CALLS).map(([sent, [call, body]]) => ({
  sent,
  call,
  body,
  credential: credentialFor(sent),
  isStarting: STARTING.has(sent),
}));

/** An answer that is valid for every call. */
const REPLY = { fileId: 'f', presignedUrl: 'https://s/x', requiredHeaders: {} };
export const success = json(200, { ...REPLY, savedVsAws: -1.5 });
