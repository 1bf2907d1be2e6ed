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

  it('is refused a target over 4 KiB, and more than 20 query parameters, on every path', async () => {
    const refusal = async (path: string, init?: RequestInit) => {
      const { answer, text } = await read(path, init);
      const { code, details } = JSON.parse(text) as { code: string; details?: unknown };
      return [answer.status, code, details] as const;
    };
    const many = (count: number) => Array.from({ length: count }, (_, at) => `p${at}=`).join('&');
    for (const path of ['/health', '/docs', '/', '/nowhere', '/v1/me', '/dashboard', '/v1/file/a'])
      for (const [query, init] of [
        ['a'.repeat(4_096)],
        ['&'.repeat(7_500)],
        [many(21)],
        [many(300), { method: 'POST' }],
        ['a&'.repeat(100), { method: 'OPTIONS' }],
      ] as [string, RequestInit?][])
        assert.deepEqual(await refusal(`${path}?${query}`, init), [
          400,
          'invalid_request',
          undefined,
        ]);
    // Up to that, each is named.
    const [status, , details] = await refusal(`/health?${many(20)}`);
    assert.deepEqual([status, (details as unknown[]).length], [400, 20]);
    const path = `/${'a'.repeat(4_095)}`;
    assert.deepEqual(await refusal(path), [404, 'not_found', undefined]);
    assert.deepEqual(await refusal(`${path}a`), [400, 'invalid_request', undefined]);
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
