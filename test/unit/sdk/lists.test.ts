import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { MigrationsOptions, StorageRoutingClient } from '../../../sdk/src/index.ts';
import { type Answer, errorOf, json, refusal, serve } from './servers.ts';

/** Pages over these ids, as the service does; `before` runs before each answer. */
function pages(ids: string[], idName: string, before: (offset: number) => void = () => {}): Answer {
  return (request, response) => {
    const query = new URL(request.path, 'http://service').searchParams;
    const limit = Number(query.get('limit') ?? 10);
    const offset = Number(query.get('offset') ?? 0);
    before(offset);
    const items = ids.slice(offset, offset + limit).map((id) => ({ [idName]: id }));
    json(200, { items, total: ids.length, limit, offset })(request, response);
  };
}

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_none, index) => `id-${index}`);

async function idsOf<Item>(list: AsyncIterable<Item>, idOf: (item: Item) => string) {
  const ids: string[] = [];
  for await (const item of list) ids.push(idOf(item));
  return ids;
}
const filesOf = ({ analytics }: StorageRoutingClient, signal?: AbortSignal) =>
  idsOf(analytics.routingHistory({ signal }), ({ fileId }) => fileId);
const migrationsOf = ({ migrations }: StorageRoutingClient, options: MigrationsOptions = {}) =>
  idsOf(migrations.list(options), ({ migrationId }) => migrationId);

const recommendationsOf = ({ scanner }: StorageRoutingClient) =>
  idsOf(scanner.recommendations({ status: 'open' }), (one) => one.recommendationId);

describe('a paged list', () => {
  for (const [name, idName, all] of [
    ['the routing history', 'fileId', filesOf],
    ['migrations', 'migrationId', (client) => migrationsOf(client, { status: 'failed' })],
    ['recommendations', 'recommendationId', recommendationsOf],
  ] satisfies [string, string, (client: StorageRoutingClient) => Promise<string[]>][]) {
    it(`of ${name} is iterated over to its end, with its filters on each page`, async () => {
      const { client, server } = await serve(pages(numbered(117), idName));
      assert.deepEqual(await all(client), numbered(117));
      const queries = server.arrived.map(({ path }) => new URL(path, server.url).searchParams);
      const asked = queries.map((query) => `${query.get('offset')} ${query.get('limit')}`);
      assert.deepEqual(asked, ['null null', '10 50', '60 50', '110 50']);
      assert.equal(new Set(queries.map((query) => query.get('status'))).size, 1);
    });
  }

  it('gives one page where it is awaited, by one request', async () => {
    const { client, server } = await serve(pages(numbered(30), 'migrationId'));
    const page = await client.migrations.list({ limit: 3, offset: 6 });
    const ids = page.items.map(({ migrationId }) => migrationId);
    assert.deepEqual(ids, ['id-6', 'id-7', 'id-8']);
    assert.equal(server.arrived.length, 1);
  });

  it('begins at the offset, in pages of the limit', async () => {
    const { client, server } = await serve(pages(numbered(7), 'migrationId'));
    const ids = await migrationsOf(client, { limit: 2, offset: 3 });
    assert.deepEqual(ids, ['id-3', 'id-4', 'id-5', 'id-6']);
    assert.equal(server.arrived.length, 2);
    const none = await serve(pages([], 'migrationId'));
    assert.deepEqual(await migrationsOf(none.client), []);
  });

  it('gives each item once where newer ones arrive meanwhile', async () => {
    const ids = numbered(25);
    const { client } = await serve(
      pages(ids, 'fileId', (offset) => {
        if (offset === 10) ids.unshift('new-1', 'new-2');
      }),
    );
    assert.deepEqual(await filesOf(client), numbered(25));
  });

  it('requests no further page than the loop reads', async () => {
    const { client, server } = await serve(pages(numbered(200), 'fileId'));
    for await (const file of client.analytics.routingHistory()) {
      if (file.fileId === 'id-9') break;
    }
    assert.equal(server.arrived.length, 1);
  });

  it('ends with the error of a page, and with the signal', async () => {
    const { client } = await serve((request, response) => {
      const isFirst = !request.path.includes('offset');
      const answer = isFirst ? pages(numbered(20), 'fileId') : refusal(400, 'invalid_request');
      answer(request, response);
    });
    assert.equal((await errorOf(filesOf(client))).code, 'invalid_request');
    assert.equal((await errorOf(filesOf(client, AbortSignal.abort()))).code, 'aborted');
  });

  it('leaves no unhandled rejection where its first page fails', async () => {
    const { client } = await serve(refusal(401, 'unauthorized'));
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    assert.equal((await errorOf(migrationsOf(client))).code, 'unauthorized');
    await setImmediate();
    process.off('unhandledRejection', note);
    assert.deepEqual(unhandled, []);
  });
});
