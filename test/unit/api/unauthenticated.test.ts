import assert from 'node:assert/strict';
import { startApi, type ApiHarness } from '../../contract/api-harness.ts';
import { hearAll, openConnection, readAnswer } from './raw-client.ts';

/** What a caller without a credential can make the service do. */
describe('a call to an open route', () => {
  let api: ApiHarness;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  const read = async (path: string, init?: RequestInit) => {
    const answer = await fetch(`${api.origin}${path}`, init);
    return { answer, text: await answer.text() };
  };

  for (const path of ['/openapi.json', '/docs']) {
    it(`gets ${path} once, and then only whether it has changed`, async () => {
      const { answer, text } = await read(path);
      const etag = answer.headers.get('etag') ?? '';
      assert.match(etag, /^"[\w-]{43}"$/);
      assert.match(answer.headers.get('cache-control') ?? '', /max-age=\d+/);
      assert.ok(text.length > 1_000);
      // Not by fetch, which asks caches to pass such a call on.
      const ask = async (known: string) => {
        const socket = await openConnection(api.origin);
        const lines = [`GET ${path} HTTP/1.1`, 'host: a', `if-none-match: ${known}`];
        socket.write([...lines, 'connection: close', '', ''].join('\r\n'));
        return readAnswer(await hearAll(socket));
      };
      assert.equal((await ask(etag))?.status, 304);
      assert.equal((await ask(etag))?.body, '');
      assert.equal((await ask('"other"'))?.status, 200);
    });
  }

  it('is refused a query that is too long to be one, and told of the first 20 unknown parameters', async () => {
    const unknown = Array.from({ length: 300 }, (_, index) => `p${index}`).join('&');
    const long = ['&'.repeat(7_500), 'a&'.repeat(2_000), `a=${'b'.repeat(2_048)}`];
    for (const query of [...long, unknown]) {
      const { answer, text } = await read(`/health?${query}`);
      assert.equal(answer.status, 400);
      const { code, details } = JSON.parse(text) as { code: string; details?: unknown[] };
      assert.equal(code, 'invalid_request');
      if (query === unknown) assert.equal(details?.length, 20);
    }
  });

  it('hears that its body is too large, also while it is still sending', async () => {
    const sizeBytes = 8 * 2 ** 20;
    const head = [
      'POST /v1/billing/webhook HTTP/1.1',
      'host: a',
      'content-type: application/json',
      `content-length: ${sizeBytes}`,
    ].join('\r\n');
    const next = 'GET /nowhere HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';
    for (let round = 0; round < 20; round += 1) {
      const socket = await openConnection(api.origin);
      const heard = hearAll(socket);
      socket.write(`${head}\r\n\r\n`);
      socket.write(Buffer.alloc(sizeBytes, ' '));
      socket.write(next);
      const text = await heard;
      assert.equal(readAnswer(text)?.status, 413, `round ${round}: ${text.slice(0, 200)}`);
      assert.match(text, /HTTP\/1\.1 404/, 'the connection goes on');
    }
  });
});

describe('an API whose indexes do not exist yet', () => {
  it('serves no account, and what needs none', async () => {
    const api = await startApi([], false);
    try {
      for (const [path, method, status] of [
        ['/v1/me', 'GET', 503],
        ['/v1/providers', 'GET', 503],
        ['/v1/billing/webhook', 'POST', 503],
        ['/docs', 'GET', 200],
        ['/nowhere', 'GET', 404],
      ] as const)
        assert.equal((await fetch(`${api.origin}${path}`, { method })).status, status, path);
    } finally {
      await api.close();
    }
  });
});
