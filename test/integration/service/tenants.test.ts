import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { localServers, localService } from '../../servers.ts';
import {
  createCustomer,
  openDatabase,
  type Answer,
  type Customer,
} from '../../harness/customer.ts';

/** Every endpoint with a file id, and what its body holds besides. */
const ENDPOINTS: Readonly<Record<string, object>> = {
  'GET /v1/file/{fileId}': {},
  'DELETE /v1/file/{fileId}': {},
  'POST /v1/upload/complete': {},
  'POST /v1/upload/url': {},
  'POST /v1/upload/parts': { partNumbers: [1] },
  'GET /v1/upload/parts/{fileId}': {},
};
/** What differs between any two answers. */
const OF_THE_MOMENT = new Set(['x-request-id', 'date', 'content-length']);

interface Description {
  paths: Record<string, Record<string, { requestBody?: unknown }>>;
}

describe('a file of another account', () => {
  let owner: Customer;
  let stranger: Customer;
  const files: Record<string, string> = {};

  before(async () => {
    const { stack } = await localServers();
    const { baseUrl } = await localService();
    owner = await createCustomer(stack, baseUrl);
    stranger = await createCustomer(stack, baseUrl);
    const [pending, active, deleted, expired] = await Promise.all([
      owner.init(),
      owner.send(),
      owner.send(),
      owner.init(),
    ]);
    assert.equal((await owner.complete(active.fileId)).status, 200);
    assert.equal((await owner.delete(deleted.fileId)).status, 200);
    const database = await openDatabase(stack);
    const change = { $set: { status: 'expired' } };
    await database.db
      .collection<{ _id: string }>('files')
      .updateOne({ _id: expired.fileId }, change);
    await database.close();
    const all = { pending, active, deleted, expired };
    for (const [status, { fileId }] of Object.entries(all)) files[status] = fileId;
  });

  const ask = async (endpoint: string, fileId: string) =>
    endpoint.startsWith('POST')
      ? await stranger.call(endpoint, { ...ENDPOINTS[endpoint], fileId })
      : await stranger.call(endpoint.replace('{fileId}', fileId));
  const shapeOf = ({ status, text, headers }: Answer) => ({
    status,
    text,
    headers: [...headers].map(([name, value]) => (OF_THE_MOMENT.has(name) ? name : [name, value])),
  });

  it('is requested on every endpoint with a file id', async () => {
    const { body } = await stranger.call('GET /openapi.json');
    const found = Object.entries((body as unknown as Description).paths).flatMap(
      ([path, methods]) =>
        Object.entries(methods)
          .filter(([, { requestBody }]) =>
            (path + JSON.stringify(requestBody ?? '')).includes('fileId'),
          )
          .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(found.sort(), Object.keys(ENDPOINTS).sort());
  });

  for (const endpoint of Object.keys(ENDPOINTS)) {
    for (const status of ['pending', 'active', 'deleted', 'expired']) {
      it(`that is ${status} looks to ${endpoint} exactly like none`, async () => {
        const [foreign, missing] = await Promise.all([
          ask(endpoint, files[status] ?? ''),
          ask(endpoint, randomUUID()),
        ]);
        assert.equal(missing.status, 404);
        assert.equal(missing.body['code'], 'file_not_found');
        assert.deepEqual(shapeOf(foreign), shapeOf(missing));
      });
    }
  }

  it('is as its owner left it after all that', async () => {
    const answers = await Promise.all(
      ['pending', 'active', 'expired'].map(async (status) => {
        const { body } = await owner.get(files[status] ?? '');
        return [status, body['status']];
      }),
    );
    for (const [expected, found] of answers) assert.equal(found, expected);
    assert.equal((await owner.get(files['deleted'] ?? '')).status, 410);
  });
});
