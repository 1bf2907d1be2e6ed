import assert from 'node:assert/strict';
import { endpointFormSuite } from '../contract/endpoint-form.ts';
import { ENDPOINTS } from './endpoints.ts';
import { one } from './tenant.ts';
import { call, requireRefusal } from './wire.ts';

describe('Requests', () => {
  for (const endpoint of ENDPOINTS) {
    const first = ENDPOINTS.find(({ body }) => body === endpoint.body);
    endpointFormSuite(endpoint, endpoint === first);
  }

  // spec: versioning.prefix
  it('to unknown paths are answered with not_found, with and without credentials', async () => {
    const token = await one.key();
    const paths = ['/v1', '/v1/', '/v2/me', '/v1/me/more', '/v1/file', '/v1/file/', '/favicon.ico'];
    for (const path of [
      ...paths,
      '/v1/upload',
      '/v1/upload/init/x',
      '/..%2f..%2fetc/passwd',
      '/%00',
    ]) {
      requireRefusal(await call('GET', path), 404, 'not_found');
      requireRefusal(await call('POST', path, { token, json: {} }), 404, 'not_found');
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

  // spec: retries.no-listing
  it('for a list of files are not found, for a file is reached by its id only', async () => {
    const token = await one.key();
    for (const path of ['/v1/file', '/v1/files', '/v1/upload', '/v1/uploads'])
      for (const query of ['', '?limit=10&offset=0', '?cursor=x'])
        requireRefusal(await call('GET', `${path}${query}`, { token }), 404, 'not_found');
  });

  it('with a malformed id are refused before any database read', async () => {
    const token = await one.key();
    const ids = [
      'x',
      '0',
      'null',
      '..%2f..%2fme',
      '%20',
      `${crypto.randomUUID()}0`,
      '$ne',
      '%7B%7D',
    ];
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
