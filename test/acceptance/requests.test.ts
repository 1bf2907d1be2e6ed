import assert from 'node:assert/strict';
import { endpointFormSuite } from '../contract/endpoint-form.ts';
import { ENDPOINTS } from './endpoints.ts';
import { one } from './tenant.ts';
import { call, requireRefusal } from './wire.ts';

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
  /.well-known/security.txt /..%2f..%2fetc/passwd /%00
`
  .trim()
  .split(/\s+/);

describe('Requests', () => {
  for (const endpoint of ENDPOINTS) {
    const first = ENDPOINTS.find(({ body }) => body === endpoint.body);
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

  it('with a malformed id are refused before any database read', async () => {
    const token = await one.key();
    const ids = ['x', '0', 'null', '..%2f..%2fme', '%20', '$ne', '%7B%7D'];
    ids.push(`${crypto.randomUUID()}0`, `${crypto.randomUUID()}%00`, `${crypto.randomUUID()};`);
    for (const id of ids)
      for (const method of ['GET', 'DELETE'])
        requireRefusal(await call(method, `/v1/file/${id}`, { token }), 400, 'invalid_request');
  });

  it('with an undecodable path are refused', async () => {
    const answer = await call('GET', '/v1/file/%E0%A4%A', { token: await one.key() });
    assert.ok([400, 404].includes(answer.status), `answered with ${answer.status}`);
  });

  it('for an unknown provider are refused', async () => {
    for (const name of ['gcs', 'AWS', 'aws%20', '__proto__', 'constructor', 'toString'])
      requireRefusal(
        await call('DELETE', `/v1/providers/${name}`, { token: one.dashboard() }),
        400,
        'invalid_request',
      );
  });
});
