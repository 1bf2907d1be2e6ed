import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { clientRoutes } from '../../../sdk/src/routes.ts';
import { describeApi } from '../../contract/described-api.ts';
import { everyCall, success } from './calls.ts';
import * as servers from './servers.ts';
import { breakOff, errorOf, inTurn, json, refusal, serve } from './servers.ts';

/** Four routes answer with another type than JSON, and the list of parts has pages. */
const OTHERS = 5;

describe('each call', () => {
  for (const { call, sent, body, credential } of everyCall) {
    it(`is sent as ${sent}, with its credential, and gives back the answer`, async () => {
      const { client, server } = await serve(success);
      const got = await call(client);
      const { method, path, headers, body: bytes } = server.arrived[0] ?? assert.fail();
      assert.equal(`${method} ${path}`, sent);
      assert.equal(headers.authorization, credential);
      assert.equal(headers['content-type'], body === undefined ? undefined : 'application/json');
      assert.deepEqual(bytes.length === 0 ? undefined : JSON.parse(bytes.toString()), body);
      assert.match(String(headers['user-agent']), /^storage-routing-client\/\d/);
      const isEmpty = /^DELETE \/v1\/(?:providers|scanner\/connections|drills|webhooks)\//.test(
        sent,
      );
      const saved = (got as { savedVsAws: number } | undefined)?.savedVsAws;
      assert.equal(saved, isEmpty ? undefined : -1.5);
    });
  }

  it('is in the list of routes exactly once', () => {
    const listed = new Set(clientRoutes.map(({ method, path }) => `${method} ${path}`));
    const count = everyCall.length + OTHERS;
    assert.deepEqual([listed.size, clientRoutes.length], [count, count]);
  });

  it('exists in the service, and each route of the service exists in the client', () => {
    // Routes for load balancers, browsers and the payment provider.
    const others = /^\/(?:ready|openapi\.json|docs|v1\/billing\/webhook)$/;
    const offered = describeApi()
      .filter(({ path }) => !others.test(path))
      .map(({ method, path, auth }) => `${method} ${path} ${auth}`);
    const called = clientRoutes.map(({ method, path, auth }) => `${method} ${path} ${auth}`);
    assert.deepEqual(called.sort(), offered.sort());
  });

  it('connects a store by its stored credentials, all of its buckets or the named ones', async () => {
    const connection = { provider: 'r2', buckets: null, bucketCount: 2 };
    const { client, server } = await serve(inTurn(json(201, connection), json(201, connection)));
    const made = await client.scanner.connect({ provider: 'r2' });
    assert.deepEqual([made.roleArn, made.provider, made.buckets], [undefined, 'r2', null]);
    await client.scanner.connect({ provider: 'r2', buckets: ['media'] });
    const sent = server.arrived.map(({ body }) => JSON.parse(body.toString()) as object);
    assert.deepEqual(sent, [{ provider: 'r2' }, { provider: 'r2', buckets: ['media'] }]);
  });

  it('of a report returns the text unchanged, and rejects other media types', async () => {
    const page = '# Stay\n\n{"not": "parsed"}\n';
    const markdown = servers.text(200, page, { 'content-type': 'text/markdown; charset=utf-8' });
    const { client, server } = await serve(inTurn(markdown, json(200, { looks: 'like JSON' })));
    assert.equal(await client.scanner.report('s'), page);
    assert.equal(server.arrived[0]?.path, '/v1/scanner/results/s/report');
    assert.equal(server.arrived[0]?.headers.accept, 'text/markdown');
    assert.equal((await errorOf(client.scanner.report('s'))).code, 'invalid_response');
  });

  it('of an approval or a cancel is repeated where its outcome is unknown', async () => {
    for (const lost of [breakOff, refusal(503, 'unavailable')]) {
      const done = json(202, { migrationId: 'm' });
      const { client, server } = await serve(inTurn(lost, done, lost, done));
      const approved = await client.migrations.approve('r', { targetProvider: 'r2' });
      assert.equal(approved.migrationId, 'm');
      assert.deepEqual(server.arrived[0]?.body, server.arrived[1]?.body);
      await client.migrations.cancel('m');
      assert.equal(server.arrived.length, 4);
    }
  });

  it('of a provider test sends the origin only where there is one', async () => {
    const { client, server } = await serve(json(200, {}));
    await client.providers.test('b2', {});
    assert.deepEqual(JSON.parse(String(server.arrived[0]?.body)), { provider: 'b2' });
  });

  it('of a delete returns nothing on a 204, and what the service completes later', async () => {
    const deleting = { fileId: 'f', status: 'deleting' };
    const { client } = await serve(inTurn(servers.text(204, ''), json(202, deleting)));
    assert.equal(await client.providers.delete('aws'), undefined);
    assert.deepEqual(await client.deleteFile('f'), deleting);
  });

  it('of the parts that a store holds requests page after page', async () => {
    const part = (partNumber: number) => ({ partNumber, sizeBytes: 8, etag: 'e' });
    const pages = [
      { items: [part(1), part(4)], next: 4 },
      { items: [], next: 9 },
      { items: [part(10)], next: null },
    ];
    const { client, server } = await serve(inTurn(...pages.map((page) => json(200, page))));
    const held: number[] = [];
    for await (const { partNumber } of client.listParts('f/1')) held.push(partNumber);
    assert.deepEqual(held, [1, 4, 10]);
    const asked = server.arrived.map(({ method, path }) => `${method} ${path}`);
    const paths = [0, 4, 9].map((after) => `GET /v1/upload/parts/f%2F1?after=${after}`);
    assert.deepEqual(asked, paths);
    assert.equal(server.arrived[0]?.headers.authorization, `Bearer ${servers.API_KEY}`);
    for await (const none of client.listParts('f', { after: 12 })) assert.ok(none);
    assert.match(server.arrived[3]?.path ?? '', /\?after=12$/);
  });

  it('keeps the path of a base address', async () => {
    const { server } = await serve(success);
    await servers.clientFor({ url: `${server.url}/routing//` }).client.me();
    assert.equal(server.arrived[0]?.path, '/routing/v1/me');
  });

  it('is rejected before it is sent where its id would address another route', async () => {
    const { client, server } = await serve(success);
    for (const fileId of ['', '.', '..', undefined as unknown as string])
      assert.equal((await errorOf(client.getFile(fileId))).code, 'invalid_argument');
    assert.equal(server.arrived.length, 0);
  });

  it('is rejected before it is sent where its credential is missing or fails', async () => {
    const none = { apiKey: undefined, dashboardToken: undefined };
    const { client, server } = await serve(success, none);
    const dashboardToken = (): Promise<string> => Promise.reject(new Error('login failed'));
    const failing = servers.clientFor(server, { dashboardToken }).client;
    for (const call of [client.me(), client.keys.rotate(), failing.keys.rotate()])
      assert.equal((await errorOf(call)).code, 'no_credentials');
    assert.equal(server.arrived.length, 0);
    await client.health();
  });

  it('names the version of the package', () => {
    const [manifest = '', source] = ['package.json', 'src/http/transport.ts'].map((path) =>
      readFileSync(new URL(`../../../sdk/${path}`, import.meta.url), 'utf8'),
    );
    const { version } = JSON.parse(manifest) as { version: string };
    assert.ok(source?.includes(`VERSION = '${version}'`));
  });
});
