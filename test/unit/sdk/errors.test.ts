import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { createClient, StorageRoutingError } from '../../../sdk/src/index.ts';
import * as servers from './servers.ts';
import { API_KEY, breakOff, clientFor, errorOf, hang, json, refusal, serve } from './servers.ts';
import { startUpload } from './uploads.ts';

describe('an error', () => {
  it('has the status, code, message, details and request id of the answer', async () => {
    const details = [{ path: '/fileSizeBytes', message: 'must be an integer' }];
    const body = { error: 'the body does not fit', code: 'invalid_request', details };
    const { client } = await serve(json(400, body, { 'x-request-id': 'from-service' }));
    const error = await errorOf(client.complete('f'));
    assert.ok(error instanceof Error);
    assert.deepEqual(
      [error.name, error.status, error.code, error.requestId, error.details],
      ['StorageRoutingError', 400, 'invalid_request', 'from-service', details],
    );
    assert.match(error.message, /POST \/v1\/upload\/complete 400: the body does not fit/);
  });

  it('has the request id that was sent, where there was no answer', async () => {
    const { client } = await serve(breakOff, { maxRetries: 0 });
    const { code, status, requestId } = await errorOf(client.me({ requestId: 'mine' }));
    assert.deepEqual([code, status, requestId], ['connection_lost', undefined, 'mine']);
  });

  for (const [name, status, text] of [
    ["a proxy's page", 404, '<html>not here</html>'],
    ['a success that is no JSON', 200, 'welcome'],
    ['a success that is no object', 200, '[1]'],
    ['a redirect', 302, ''],
    ['an error without a code', 400, '{"error":"x"}'],
  ] as const)
    it(`is invalid_response with the status for ${name}`, async () => {
      const { client } = await serve(
        servers.text(status, text, { location: 'http://127.0.0.1:9/' }),
      );
      const error = await errorOf(client.me());
      assert.deepEqual([error.code, error.status], ['invalid_response', status]);
    });

  it('names the problem of invalid options, and of an invalid request id', async () => {
    const baseUrl = 'https://routing.example.com';
    for (const options of [
      { baseUrl: 'routing.example.com' },
      { baseUrl: 'ftp://routing.example.com' },
      { baseUrl: 'https://user:pass@routing.example.com' },
      { baseUrl: `${baseUrl}?a=1` },
      { baseUrl, timeoutMs: 0 },
      { baseUrl, stallTimeoutMs: Number.NaN },
      { baseUrl, maxRetries: -1 },
      { baseUrl, maxRetries: 1.5 },
      { baseUrl, apiKey: '' },
      { baseUrl, apiKey: `${API_KEY}\n` },
      { baseUrl, dashboardToken: 'two words' },
    ])
      assert.throws(
        () => createClient(options),
        (error) => error instanceof StorageRoutingError && error.code === 'invalid_argument',
      );
    const { client } = clientFor({ url: 'http://127.0.0.1:9' });
    for (const requestId of ['', 'a b', 'ü', 'x'.repeat(129)])
      assert.equal((await errorOf(client.me({ requestId }))).code, 'invalid_argument');
  });
});

describe('an error contains no secret', () => {
  const hello = { source: Buffer.from('hello'), fileName: 'a' };
  const secrets = [API_KEY, servers.DASHBOARD_TOKEN, servers.URL_SECRET, 'X-Amz-Signature'];

  function assertSilent(error: unknown): void {
    const own = JSON.stringify(error, Object.getOwnPropertyNames(error));
    const shown = inspect(error, { depth: 20, showHidden: true }) + own;
    for (const secret of secrets) assert.ok(!shown.includes(secret), `${secret} in ${shown}`);
  }

  it('for every failure of the store and the service', async () => {
    for (const answer of [breakOff, hang, refusal(403, 'x'), refusal(500, 'x')]) {
      const { client } = await startUpload(5, { put: () => answer }, { stallTimeoutMs: 200 });
      assertSilent(await errorOf(client.upload(hello)));
    }
  });

  it('where the runtime puts address and header into its error', async () => {
    const { service, store } = await startUpload();
    const talkative: typeof fetch = async (input, init) => {
      assert.ok(typeof input === 'string');
      if (input.startsWith(service.url)) return fetch(input, init);
      const address = input.replace('http://', 'http://user:pw@');
      const credentials = `Bearer ${servers.DASHBOARD_TOKEN} and ${API_KEY}`;
      const cause = new Error(`${credentials} at (${address})`);
      throw new TypeError(`error sending request for url (${address})`, { cause });
    };
    const { client } = clientFor(service, { fetch: talkative });
    const error = await errorOf(client.upload(hello));
    assertSilent(error);
    assert.match(inspect(error), new RegExp(`${store.url.replace('http://', '')}/bucket`));
    assert.doesNotMatch(inspect(error, { depth: 9 }), /user:pw/);
  });

  it('where the service repeats one, and where a token is invalid in a header', async () => {
    const url = `https://store.example/x?X-Amz-Signature=${servers.URL_SECRET}`;
    const error = `the URL ${url} and ${API_KEY}`;
    const dashboardToken = (): string => `${servers.DASHBOARD_TOKEN}\n`;
    const { client } = await serve(json(400, { error, code: 'invalid_request' }), {
      dashboardToken,
    });
    for (const [call, code] of [
      [() => client.me(), 'invalid_request'],
      [() => client.providers.list(), 'invalid_argument'],
    ] as const) {
      const failure = await errorOf(call());
      assert.equal(failure.code, code);
      assertSilent(failure);
    }
    assertSilent(client);
  });
});
