import assert from 'node:assert/strict';
import { one } from './tenant.ts';
import {
  call,
  requestIdOf,
  requireEveryAnswersForm,
  requireRefusal,
  writeRaw,
  type CallOptions,
} from './wire.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const json = { 'content-type': 'application/json' };
const large = `"${'a'.repeat(70_000)}"`;

/** Status, method, path, and what is sent; with a key except where it is `open`. */
const ANSWERS: readonly [number, string, string, (CallOptions & { open?: boolean })?][] = [
  [200, 'GET', '/health', { open: true }],
  [200, 'GET', '/v1/me'],
  [200, 'HEAD', '/v1/me'],
  [400, 'POST', '/v1/upload/init', { headers: json, body: '{"a":' }],
  [400, 'POST', '/v1/upload/init', { json: {} }],
  [401, 'GET', '/v1/me', { open: true }],
  [404, 'GET', `/v1/${crypto.randomUUID()}`, { open: true }],
  [404, 'GET', `/v1/file/${crypto.randomUUID()}`],
  [405, 'PUT', '/v1/me'],
  [413, 'POST', '/v1/upload/complete', { headers: json, body: large }],
  [415, 'POST', '/v1/upload/init', { headers: { 'content-type': 'text/plain' }, body: '{}' }],
];

describe('X-Request-ID', () => {
  for (const [status, method, path, { open = false, ...options } = {}] of ANSWERS) {
    // spec: endpoints.request-id
    it(`of ${method} ${path}, ${status}, is made anew each time, or kept`, async () => {
      const ask = async (id?: string) => {
        const ids = id === undefined ? {} : { 'x-request-id': id };
        const headers = { ...options.headers, ...ids };
        const token = open ? {} : { token: await one.key() };
        const answer = await call(method, path, { ...options, ...token, headers });
        assert.equal(answer.status, status);
        return requestIdOf(answer);
      };
      const made = [await ask(), await ask()];
      for (const id of made) assert.match(id, UUID);
      assert.notEqual(made[0], made[1]);
      const id = `Kept.${crypto.randomUUID()}_1-2`;
      assert.equal(await ask(id), id);
    });
  }

  const health = async (headers: CallOptions['headers'] = {}) => {
    const answer = await call('GET', '/health', { headers });
    assert.equal(answer.status, 200);
    return requestIdOf(answer);
  };

  // spec: endpoints.request-id
  it('is kept from one character up to 128', async () => {
    for (const id of ['a', '0', '.', '_', '-', 'Az09._-', 'x'.repeat(128)])
      assert.equal(await health({ 'x-request-id': id }), id);
  });

  // spec: endpoints.request-id
  it('is replaced where it is not well-formed, and where two were sent', async () => {
    const malformed = ['', ' ', 'x'.repeat(129), 'a b', 'a/b', 'a,b', 'a"b', 'é', '<a>', 'a%0ab'];
    for (const id of [...malformed, ['first', 'second']])
      assert.match(await health({ 'x-request-id': id }), UUID);
  });

  // spec: endpoints.request-id
  it('is on the answer to an unknown expectation, and to an upgrade', async () => {
    assert.match(await health({ expect: 'a-miracle' }), UUID);
    assert.match(await health({ connection: 'Upgrade', upgrade: 'websocket' }), UUID);
  });

  const ROTATE = 'POST /v1/keys/rotate HTTP/1.1\r\nHost: a';
  for (const [what, bytes, status] of [
    ['no HTTP at all', 'HELLO', 400],
    ['an unknown version', 'GET /health HTTP/9.9\r\nHost: a', 400],
    ['no host', 'GET /health HTTP/1.1\r\nConnection: close', 400],
    ['a header without a colon', 'GET /health HTTP/1.1\r\nHost: a\r\nbroken', 400],
    ['a control character', 'GET /health HTTP/1.1\r\nHost: a\r\nX-A: \u0001', 400],
    ['a length that is no number', `${ROTATE}\r\nContent-Length: x`, 400],
    ['two framings', `${ROTATE}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked`, 400],
    ['large headers', `GET /health HTTP/1.1\r\nHost: a\r\nX-A: ${'x'.repeat(65_536)}`, 431],
  ] as const) {
    // spec: endpoints.request-id
    it(`is on the answer to malformed HTTP: ${what}`, async () => {
      const answer = await writeRaw(`${bytes}\r\n\r\n`);
      requireEveryAnswersForm('GET', answer);
      requireRefusal(answer, status, 'invalid_request');
    });
  }
});
