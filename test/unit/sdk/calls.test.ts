import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { StorageRoutingClient } from '../../../sdk/src/index.ts';
import { clientRoutes } from '../../../sdk/src/routes.ts';
import { describeApi } from '../../contract/described-api.ts';
import {
  API_KEY,
  breakOff,
  clientFor,
  DASHBOARD_TOKEN,
  errorOf,
  inTurn,
  json,
  refusal,
  startServer,
} from './servers.ts';

interface Row {
  call: (client: StorageRoutingClient) => Promise<unknown>;
  sent: string;
  auth: 'none' | 'apiKey' | 'dashboard';
  body?: unknown;
}

const save = {
  provider: 'r2',
  accessKeyId: 'id',
  secretAccessKey: 'secret',
  bucketName: 'bucket',
  region: 'auto',
  accountId: 'abc',
} as const;
const role = { roleArn: 'arn:aws:iam::1:role/r', externalId: 'e', regions: ['us-east-1'] };
const init = { fileName: 'a', contentType: 'text/plain', fileSizeBytes: 5 };

const rows: Row[] = [
  { call: (c) => c.health(), sent: 'GET /health', auth: 'none' },
  { call: (c) => c.me(), sent: 'GET /v1/me', auth: 'apiKey' },
  { call: (c) => c.account(), sent: 'GET /v1/account', auth: 'dashboard' },
  { call: (c) => c.init(init), sent: 'POST /v1/upload/init', auth: 'apiKey', body: init },
  {
    call: (c) => c.complete('f'),
    sent: 'POST /v1/upload/complete',
    auth: 'apiKey',
    body: { fileId: 'f' },
  },
  {
    call: (c) => c.uploadParts('f', [1, 7]),
    sent: 'POST /v1/upload/parts',
    auth: 'apiKey',
    body: { fileId: 'f', partNumbers: [1, 7] },
  },
  {
    call: (c) => c.uploadUrl('f'),
    sent: 'POST /v1/upload/url',
    auth: 'apiKey',
    body: { fileId: 'f' },
  },
  { call: (c) => c.getFile('a/b?c'), sent: 'GET /v1/file/a%2Fb%3Fc', auth: 'apiKey' },
  { call: (c) => c.deleteFile('f'), sent: 'DELETE /v1/file/f', auth: 'apiKey' },
  {
    call: (c) => c.providers.save(save),
    sent: 'POST /v1/providers',
    auth: 'dashboard',
    body: save,
  },
  { call: (c) => c.providers.list(), sent: 'GET /v1/providers', auth: 'dashboard' },
  {
    call: (c) => c.providers.catalogue(),
    sent: 'GET /v1/providers/catalogue',
    auth: 'dashboard',
  },
  { call: (c) => c.providers.delete('b2'), sent: 'DELETE /v1/providers/b2', auth: 'dashboard' },
  {
    call: (c) => c.providers.test('b2', { origin: 'https://app.example.com' }),
    sent: 'POST /v1/providers/test',
    auth: 'dashboard',
    body: { provider: 'b2', origin: 'https://app.example.com' },
  },
  { call: (c) => c.apiKey.get(), sent: 'GET /v1/providers/api-key', auth: 'dashboard' },
  {
    call: (c) => c.apiKey.regenerate(),
    sent: 'POST /v1/providers/api-key/regenerate',
    auth: 'dashboard',
    body: {},
  },
  { call: (c) => c.keys.rotate(), sent: 'POST /v1/keys/rotate', auth: 'dashboard', body: {} },
  {
    call: (c) => c.scanner.serviceIdentity(),
    sent: 'GET /v1/scanner/service-identity',
    auth: 'dashboard',
  },
  {
    call: (c) => c.scanner.connect(role),
    sent: 'POST /v1/scanner/connect',
    auth: 'dashboard',
    body: role,
  },
  {
    call: (c) => c.scanner.connections(),
    sent: 'GET /v1/scanner/connections',
    auth: 'dashboard',
  },
  {
    call: (c) => c.scanner.disconnect('c'),
    sent: 'DELETE /v1/scanner/connections/c',
    auth: 'dashboard',
  },
  {
    call: (c) => c.scanner.start('c'),
    sent: 'POST /v1/scanner/scan',
    auth: 'dashboard',
    body: { connectionId: 'c' },
  },
  { call: (c) => c.scanner.results('s'), sent: 'GET /v1/scanner/results/s', auth: 'dashboard' },
  {
    call: (c) => c.scanner.progress('s/1'),
    sent: 'GET /v1/scanner/results/s%2F1/progress',
    auth: 'dashboard',
  },
  {
    call: (c) => c.scanner.recommendation('r/1'),
    sent: 'GET /v1/scanner/recommendations/r%2F1',
    auth: 'dashboard',
  },
  { call: (c) => c.scanner.history(), sent: 'GET /v1/scanner/history', auth: 'dashboard' },
  {
    call: (c) => c.analytics.summary(),
    sent: 'GET /v1/analytics/summary',
    auth: 'dashboard',
  },
  {
    call: (c) => c.analytics.monthly(),
    sent: 'GET /v1/analytics/monthly',
    auth: 'dashboard',
  },
  {
    call: (c) => c.analytics.routingHistory(),
    sent: 'GET /v1/analytics/routing-history',
    auth: 'dashboard',
  },
  {
    call: (c) => c.analytics.routedFile('f'),
    sent: 'GET /v1/analytics/routing-history/f',
    auth: 'dashboard',
  },
  {
    call: (c) => c.scanner.recommendations({ status: 'open', connectionId: 'c', limit: 5 }),
    sent: 'GET /v1/scanner/recommendations?status=open&connectionId=c&limit=5',
    auth: 'dashboard',
  },
  {
    call: (c) => c.migrations.list({ status: 'copying', offset: 20 }),
    sent: 'GET /v1/scanner/migrations?status=copying&offset=20',
    auth: 'dashboard',
  },
  {
    call: (c) => c.migrations.approve('r', { targetProvider: 'b2' }),
    sent: 'POST /v1/scanner/recommendations/r/approve',
    auth: 'dashboard',
    body: { targetProvider: 'b2' },
  },
  { call: (c) => c.migrations.get('m'), sent: 'GET /v1/scanner/migration/m', auth: 'dashboard' },
  {
    call: (c) => c.migrations.cancel('m'),
    sent: 'POST /v1/scanner/migration/m/cancel',
    auth: 'dashboard',
    body: {},
  },
  {
    call: (c) => c.billing.subscription(),
    sent: 'GET /v1/billing/subscription',
    auth: 'dashboard',
  },
  {
    call: (c) => c.billing.checkout({ plan: 'growth' }),
    sent: 'POST /v1/billing/checkout',
    auth: 'dashboard',
    body: { plan: 'growth' },
  },
  {
    call: (c) => c.billing.portal(),
    sent: 'POST /v1/billing/portal',
    auth: 'dashboard',
    body: {},
  },
];

/** Two further routes answer with another type than JSON. The second one is in migration-report.test.ts. */
const REPORT_PATH = '/v1/scanner/results/s/report';
/** Those two, and the list of parts, which has pages. */
const OTHERS = 3;

const credentials = {
  none: undefined,
  apiKey: `Bearer ${API_KEY}`,
  dashboard: `Bearer ${DASHBOARD_TOKEN}`,
};
const reply = { fileId: 'f', presignedUrl: 'https://s/x', savedVsAws: -1.5, requiredHeaders: {} };

describe('each call', () => {
  for (const { call, sent, auth, body } of rows) {
    it(`is sent as ${sent} with ${auth} and gives back the answer`, async () => {
      const server = await startServer(json(200, reply));
      const got = await call(clientFor(server).client);
      const { method, path, headers, body: bytes } = server.arrived[0] ?? assert.fail();
      assert.equal(`${method} ${path}`, sent);
      assert.equal(headers.authorization, credentials[auth]);
      assert.equal(headers['content-type'], body === undefined ? undefined : 'application/json');
      assert.deepEqual(bytes.length === 0 ? undefined : JSON.parse(bytes.toString()), body);
      assert.match(String(headers['user-agent']), /^storage-routing-client\/\d/);
      if (/^DELETE \/v1\/(?:providers|scanner)\//.test(sent)) assert.equal(got, undefined);
      else assert.equal((got as typeof reply).savedVsAws, reply.savedVsAws);
    });
  }

  it('is in the list of routes exactly once', () => {
    const listed = clientRoutes.map(({ method, path }) => `${method} ${path}`);
    assert.equal(new Set(listed).size, rows.length + OTHERS);
    assert.equal(listed.length, rows.length + OTHERS);
  });

  it('exists in the service, and each route of the service exists in the client', () => {
    // Routes for load balancers, browsers and the payment provider.
    const notForClients = new Set([
      'GET /ready',
      'GET /openapi.json',
      'GET /docs',
      'POST /v1/billing/webhook',
    ]);
    const offered = describeApi()
      .filter(({ method, path }) => !notForClients.has(`${method} ${path}`))
      .map(({ method, path, auth }) => `${method} ${path} ${auth}`);
    const called = clientRoutes.map(({ method, path, auth }) => `${method} ${path} ${auth}`);
    assert.deepEqual(called.sort(), offered.sort());
  });

  it('of a report returns the text unchanged, and rejects other media types', async () => {
    const page = '# Stay\n\n{"not": "parsed"}\n';
    const server = await startServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/markdown; charset=utf-8' });
      response.end(page);
    });
    assert.equal(await clientFor(server).client.scanner.report('s'), page);
    assert.equal(server.arrived[0]?.path, REPORT_PATH);
    assert.equal(server.arrived[0]?.headers.accept, 'text/markdown');
    const other = await startServer(json(200, { looks: 'like JSON' }));
    const refused = await errorOf(clientFor(other).client.scanner.report('s'));
    assert.equal(refused.code, 'invalid_response');
  });

  const stateOf = (status: string, hasEnded: boolean) => ({
    status,
    completedAt: hasEnded ? '2026-11-20T12:00:00.000Z' : null,
  });

  // spec: scanner-sequence.poll
  it('of a scan is repeated until it has ended', async () => {
    let looks = 0;
    const states = ['queued', 'running', 'completed'];
    const seen: string[] = [];
    const server = await startServer((request, response) =>
      json(200, stateOf(states[looks++] ?? 'too often', looks === states.length))(
        request,
        response,
      ),
    );
    const done = await clientFor(server).client.scanner.waitFor('s', {
      pollMs: 1,
      onProgress: ({ status }) => seen.push(status),
    });
    assert.equal(done.status, 'completed');
    assert.deepEqual(seen, states);
  });

  for (const ended of ['completed', 'completed_with_failures', 'failed', 'cancelled']) {
    it(`of a migration is repeated until it is ${ended}`, async () => {
      const states = ['queued', 'planning', 'copying', 'verifying', ended];
      const seen: string[] = [];
      const answers = states.map((status) => json(200, stateOf(status, status === ended)));
      const server = await startServer(inTurn(...answers, json(200, { status: 'too often' })));
      const { client, waits } = clientFor(server);
      const onProgress = ({ status }: { status: string }) => seen.push(status);
      const done = await client.migrations.waitFor('m', { pollMs: 7, onProgress });
      assert.equal(done.status, ended);
      assert.deepEqual(seen, states);
      assert.deepEqual(waits, [7, 7, 7, 7]);
    });
  }

  it('of a migration ends with the signal, also between two polls', async () => {
    const server = await startServer(json(200, stateOf('copying', false)));
    const controller = new AbortController();
    const { client } = clientFor(server, {}, { sleep: async () => controller.abort() });
    const { signal } = controller;
    assert.equal((await errorOf(client.migrations.waitFor('m', { signal }))).code, 'aborted');
    assert.equal(server.arrived.length, 1);
  });

  it('of an approval or a cancel is repeated where its outcome is unknown', async () => {
    for (const lost of [breakOff, refusal(503, 'unavailable')]) {
      const server = await startServer(inTurn(lost, json(202, { migrationId: 'm' })));
      const { migrations } = clientFor(server).client;
      const approved = await migrations.approve('r', { targetProvider: 'r2' });
      assert.equal(approved.migrationId, 'm');
      assert.deepEqual(server.arrived[0]?.body, server.arrived[1]?.body);
      const second = await startServer(inTurn(lost, json(202, { migrationId: 'm' })));
      await clientFor(second).client.migrations.cancel('m');
      assert.equal(second.arrived.length, 2);
    }
    const refused = await startServer(refusal(409, 'recommendation_not_open'));
    const { migrations } = clientFor(refused).client;
    const error = await errorOf(migrations.approve('r', { targetProvider: 'r2' }));
    assert.deepEqual([error.status, error.code], [409, 'recommendation_not_open']);
    assert.equal(refused.arrived.length, 1);
  });

  it('of a provider test sends the origin only where there is one', async () => {
    const server = await startServer(json(200, {}));
    const { providers } = clientFor(server).client;
    await providers.test('b2', {});
    assert.deepEqual(JSON.parse(String(server.arrived[0]?.body)), { provider: 'b2' });
  });

  it('of a provider delete returns nothing on a 204', async () => {
    const server = await startServer(json(204, undefined));
    assert.equal(await clientFor(server).client.providers.delete('aws'), undefined);
  });

  it('returns a delete that the service completes later', async () => {
    const server = await startServer(json(202, { fileId: 'f', status: 'deleting' }));
    const result = await clientFor(server).client.deleteFile('f');
    assert.deepEqual(result, { fileId: 'f', status: 'deleting' });
  });

  it('of the routing history requests the given page', async () => {
    const server = await startServer(json(200, { items: [] }));
    const { analytics } = clientFor(server).client;
    await analytics.routingHistory({ limit: 50, offset: 0 });
    await analytics.routingHistory({ offset: 20 });
    assert.deepEqual(
      server.arrived.map(({ path }) => path),
      [
        '/v1/analytics/routing-history?limit=50&offset=0',
        '/v1/analytics/routing-history?offset=20',
      ],
    );
  });

  it('of the parts that a store holds requests page after page', async () => {
    const part = (partNumber: number) => ({ partNumber, sizeBytes: 8, etag: 'e' });
    const server = await startServer(
      inTurn(
        json(200, { items: [part(1), part(4)], next: 4 }),
        json(200, { items: [], next: 9 }),
        json(200, { items: [part(10)], next: null }),
      ),
    );
    const held: number[] = [];
    const { client } = clientFor(server);
    for await (const { partNumber } of client.listParts('f/1')) held.push(partNumber);
    assert.deepEqual(held, [1, 4, 10]);
    const path = '/v1/upload/parts/f%2F1';
    assert.deepEqual(
      server.arrived.map((request) => `${request.method} ${request.path}`),
      [0, 4, 9].map((after) => `GET ${path}?after=${after}`),
    );
    assert.equal(server.arrived[0]?.headers.authorization, `Bearer ${API_KEY}`);
    for await (const none of client.listParts('f', { after: 12 })) assert.ok(none);
    assert.match(server.arrived[3]?.path ?? '', /\?after=12$/);
  });

  it('keeps the path of a base address', async () => {
    const server = await startServer(json(200, reply));
    await clientFor({ url: `${server.url}/routing//` }).client.me();
    assert.equal(server.arrived[0]?.path, '/routing/v1/me');
  });

  it('is rejected before it is sent where its id would address another route', async () => {
    const server = await startServer(json(200, reply));
    const { client } = clientFor(server);
    for (const fileId of ['', '.', '..', undefined as unknown as string]) {
      assert.equal((await errorOf(client.getFile(fileId))).code, 'invalid_argument');
    }
    assert.equal(server.arrived.length, 0);
  });

  it('is rejected before it is sent where its credential is missing or fails', async () => {
    const server = await startServer(json(200, reply));
    const none = clientFor(server, { apiKey: undefined, dashboardToken: undefined }).client;
    assert.equal((await errorOf(none.me())).code, 'no_credentials');
    assert.equal((await errorOf(none.keys.rotate())).code, 'no_credentials');
    const dashboardToken = (): Promise<string> => Promise.reject(new Error('login failed'));
    const failing = clientFor(server, { dashboardToken }).client;
    assert.equal((await errorOf(failing.keys.rotate())).code, 'no_credentials');
    assert.equal(server.arrived.length, 0);
    await none.health();
  });

  it('names the version of the package', () => {
    const file = new URL('../../../sdk/package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    const source = readFileSync(
      new URL('../../../sdk/src/http/transport.ts', import.meta.url),
      'utf8',
    );
    assert.ok(source.includes(`VERSION = '${version}'`));
  });
});
