import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { createClient, StorageRoutingError } from '../../../sdk/src/index.ts';
import {
  API_KEY,
  breakOff,
  clientFor,
  DASHBOARD_TOKEN,
  errorOf,
  hang,
  json,
  refusal,
  serve,
  startUploadPair,
  URL_SECRET,
} from './servers.ts';

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
    const error = await errorOf(client.me({ requestId: 'mine' }));
    assert.deepEqual(
      [error.code, error.status, error.requestId],
      ['connection_lost', undefined, 'mine'],
    );
  });

  const invalidLine: Record<string, [number, string]> = {
    "a proxy's page": [404, '<html>not here</html>'],
    'a success that is no JSON': [200, 'welcome'],
    'a success that is no object': [200, '[1]'],
    'a redirect': [302, ''],
    'an error without a code': [400, '{"error":"x"}'],
  };
  for (const [name, [status, text]] of Object.entries(invalidLine)) {
    it(`is invalid_response with the status for ${name}`, async () => {
      const location = 'http://127.0.0.1:9/';
      const { client } = await serve(
        (_request, response) => void response.writeHead(status, { location }).end(text),
      );
      const error = await errorOf(client.me());
      assert.deepEqual([error.code, error.status], ['invalid_response', status]);
    });
  }

  it('names the problem of invalid options', () => {
    const baseUrl = 'https://routing.example.com';
    const wrong = [
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
    ];
    for (const options of wrong) {
      assert.throws(
        () => createClient(options),
        (error) => error instanceof StorageRoutingError && error.code === 'invalid_argument',
      );
    }
  });

  it('rejects an invalid request id', async () => {
    const { client } = clientFor({ url: 'http://127.0.0.1:9' });
    for (const requestId of ['', 'a b', 'ü', 'x'.repeat(129)]) {
      assert.equal((await errorOf(client.me({ requestId }))).code, 'invalid_argument');
    }
  });
});

describe('an error contains no secret', () => {
  const hello = { source: Buffer.from('hello'), fileName: 'a' };
  const complete = refusal(409, 'file_not_on_provider');
  const secrets = [API_KEY, DASHBOARD_TOKEN, URL_SECRET, 'X-Amz-Signature'];

  function assertSilent(error: unknown): void {
    const own = JSON.stringify(error, Object.getOwnPropertyNames(error));
    const shown = inspect(error, { depth: 20, showHidden: true }) + own;
    for (const secret of secrets) assert.ok(!shown.includes(secret), `${secret} in ${shown}`);
  }

  it('for every failure of the store and the service', async () => {
    for (const put of [breakOff, hang, refusal(403, 'x'), refusal(500, 'x')]) {
      const { client } = await startUploadPair({ put, complete }, { stallTimeoutMs: 200 });
      assertSilent(await errorOf(client.upload(hello)));
    }
  });

  it('where the runtime puts address and header into its error', async () => {
    const { service, store } = await startUploadPair({ complete });
    const talkative: typeof fetch = async (input, init) => {
      assert.ok(typeof input === 'string');
      if (input.startsWith(service.url)) return fetch(input, init);
      const address = input.replace('http://', 'http://user:pw@');
      const cause = new Error(`Bearer ${DASHBOARD_TOKEN} and ${API_KEY} at (${address})`);
      throw new TypeError(`error sending request for url (${address})`, { cause });
    };
    const { client } = clientFor(service, { fetch: talkative });
    const error = await errorOf(client.upload(hello));
    assertSilent(error);
    assert.match(inspect(error), new RegExp(`${store.url.replace('http://', '')}/bucket`));
    assert.doesNotMatch(inspect(error, { depth: 9 }), /user:pw/);
  });

  it('where the service repeats one', async () => {
    const said = `the URL https://store.example/x?X-Amz-Signature=${URL_SECRET} and ${API_KEY}`;
    const { client } = await serve(json(400, { error: said, code: 'invalid_request' }));
    assertSilent(await errorOf(client.me()));
  });

  it('where a token is invalid in a header', async () => {
    const dashboardToken = (): string => `${DASHBOARD_TOKEN}\n`;
    const { client } = await serve(json(200, {}), { dashboardToken });
    const error = await errorOf(client.providers.list());
    assert.equal(error.code, 'invalid_argument');
    assertSilent(error);
  });

  it('and neither do the fields of the client', () => {
    const { client } = clientFor({ url: 'http://127.0.0.1:9' });
    assertSilent(client);
  });
});
