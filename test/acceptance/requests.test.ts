import assert from 'node:assert/strict';
import { endpointAuthSuite } from '../contract/endpoint-auth.ts';
import { endpointFormSuite } from '../contract/endpoint-form.ts';
import { ENDPOINTS } from './endpoints.ts';
import { one } from './tenant.ts';
import {
  call,
  requestIdOf,
  requireEveryAnswersForm,
  requireRefusal,
  writeRaw,
  type CallOptions,
} from './wire.ts';

/** Of lists that there are not, other versions, an operator, tools, and files. */
const ELSEWHERE = `
  /v1 /v1/ /v2/me /v0/me /v1beta/me /api/v1/me /v1/v1/me /me /v1/me/more
  /v1/file /v1/file/ /v1/files /v1/file?limit=10&offset=0 /v1/files?cursor=x
  /v1/upload /v1/uploads /v1/upload/init/x
  /admin /v1/admin /v1/accounts /v1/account/plan /v1/plans /v1/users /v1/internal/sweep
  /v1/scanner/migrations/all /internal/v1/me /v1/test /v1/dev
  /metrics /debug /debug/pprof /healthz /health/ /ready/x /status /server-status /env /actuator
  /swagger /swagger.json /openapi.yaml /v1/openapi.json /graphql /docs/ /docs/..%2f
  /.env /.git/config /package.json /dist/api/main.js /favicon.ico /robots.txt
  /v1/Providers /v1/providers/ /v1//providers /v1/providers;a /v1/%70roviders/x/y
  /.well-known/security.txt /..%2f..%2fetc/passwd /%00
`
  .trim()
  .split(/\s+/);

describe('Requests', () => {
  for (const endpoint of ENDPOINTS) {
    const first = ENDPOINTS.find(({ body }) => body === endpoint.body);
    endpointAuthSuite(endpoint);
    endpointFormSuite(endpoint, endpoint === first);
  }

  // spec: retries.no-listing, versioning.prefix
  it('to paths that are not described are answered with not_found, with and without credentials', async () => {
    const token = await one.key();
    for (const path of ELSEWHERE)
      for (const options of [{}, { token }, { token: one.dashboard() }]) {
        requireRefusal(await call('GET', path, options), 404, 'not_found');
        requireRefusal(await call('POST', path, { ...options, json: {} }), 404, 'not_found');
      }
  });

  it('to the root lead to a page for people', async () => {
    const answer = await call('GET', '/');
    assert.equal(answer.status, 302);
    const home = String(answer.headers['location']);
    assert.match(home, /^\/(?:docs|dashboard)$/);
    const page = await call('GET', home);
    assert.equal(page.status, 200);
    assert.match(String(page.headers['content-type']), /^text\/html/);
    const refused = await call('POST', '/', { json: {} });
    requireRefusal(refused, 405, 'method_not_allowed');
    assert.equal(refused.headers['allow'], 'GET, HEAD');
  });

  it('with a malformed id, an unknown provider or an undecodable path are refused', async () => {
    const token = await one.key();
    const ids = ['x', '0', 'null', '..%2f..%2fme', '%20', '$ne', '%7B%7D'];
    ids.push(`${crypto.randomUUID()}0`, `${crypto.randomUUID()}%00`, `${crypto.randomUUID()};`);
    for (const id of ids)
      for (const method of ['GET', 'DELETE'])
        requireRefusal(await call(method, `/v1/file/${id}`, { token }), 400, 'invalid_request');
    const dashboard = { token: one.dashboard() };
    for (const name of ['gcs', 'AWS', 'aws%20', '__proto__', 'constructor', 'toString']) {
      const answer = await call('DELETE', `/v1/providers/${name}`, dashboard);
      requireRefusal(answer, 400, 'invalid_request');
    }
    const { status } = await call('GET', '/v1/file/%E0%A4%A', { token });
    assert.ok([400, 404].includes(status), `answered with ${status}`);
  });
});

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Status, method, path, and what is sent; with a key except where it is `open`. */
const ANSWERS: readonly [number, string, string, (CallOptions & { open?: boolean })?][] = [
  [200, 'GET', '/health', { open: true }],
  [200, 'HEAD', '/v1/me'],
  [400, 'POST', '/v1/upload/init', { json: {} }],
  [401, 'GET', '/v1/me', { open: true }],
  [404, 'GET', `/v1/${crypto.randomUUID()}`, { open: true }],
  [404, 'GET', `/v1/file/${crypto.randomUUID()}`],
  [405, 'PUT', '/v1/me'],
  [413, 'POST', '/v1/upload/complete', { json: 'a'.repeat(70_000) }],
  [415, 'POST', '/v1/upload/init', { headers: { 'content-type': 'text/plain' }, body: '{}' }],
];

describe('X-Request-ID', () => {
  for (const [status, method, path, { open = false, ...options } = {}] of ANSWERS) {
    // spec: endpoints.request-id
    it(`of ${method} ${path}, ${status}, is made anew each time, or kept`, async () => {
      const ask = async (id?: string) => {
        const ids = id === undefined ? {} : { 'x-request-id': id };
        const token = open ? {} : { token: await one.key() };
        const headers = { ...options.headers, ...ids };
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
  it('is kept from one character up to 128, and replaced where it is not well-formed', async () => {
    for (const id of ['a', '0', '.', '_', '-', 'Az09._-', 'x'.repeat(128)])
      assert.equal(await health({ 'x-request-id': id }), id);
    const malformed = ['', ' ', 'x'.repeat(129), 'a b', 'a/b', 'a,b', 'a"b', 'é', '<a>', 'a%0ab'];
    for (const id of [...malformed, ['first', 'second']])
      assert.match(await health({ 'x-request-id': id }), UUID);
    // An unknown expectation, and an upgrade, are answered too.
    assert.match(await health({ expect: 'a-miracle' }), UUID);
    assert.match(await health({ connection: 'Upgrade', upgrade: 'websocket' }), UUID);
  });

  // Further ones: `unit/api/server`.
  const ROTATE = 'POST /v1/keys/rotate HTTP/1.1\r\nHost: a';
  for (const [what, bytes, status] of [
    ['no HTTP at all', 'HELLO', 400],
    ['no host', 'GET /health HTTP/1.1\r\nConnection: close', 400],
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
