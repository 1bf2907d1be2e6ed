import assert from 'node:assert/strict';
import { openRecords } from '../../../adapters/mongo/records.ts';
import { localServers, localService } from '../../servers.ts';
import { sharedDatabase } from '../customers.ts';
import { createCustomer, eventually } from '../../harness/customer.ts';
import { openMongoProxy } from '../../harness/mongo-proxy.ts';

describe('the indexes of the database', () => {
  const database = sharedDatabase();

  it('for speed alone keep no API process unready while they are built', async () => {
    const [{ stack }, service] = [await localServers(), await localService()];
    const proxy = await openMongoProxy(stack.environment['MONGODB_URI'] ?? '');
    proxy.swallow('createIndexes', 'manifestPages');
    const api = await service.addApi({ MONGODB_URI: proxy.uri });
    assert.equal((await fetch(`${api.url}/ready`)).status, 200);
    const { fileId } = await (await createCustomer(stack, api.url)).init();
    assert.ok(fileId);
    await api.kill();
    await proxy.close();
  });

  it('are built however long that takes', async () => {
    const { stack } = await localServers();
    const proxy = await openMongoProxy(stack.environment['MONGODB_URI'] ?? '');
    const records = openRecords({ uri: proxy.uri, database: `indexes_${Date.now()}` });
    // An answer may take 2.5 s.
    proxy.delay('createIndexes', 'manifestPages', 3_500);
    await records.ensureIndexes('speed');
    await records.close();
    await proxy.close();
  });

  it('hold no document without their field: a sparse one has one field', async () => {
    await localService();
    const { db } = database;
    const sparse = new Map<string, string[]>();
    await eventually('all are built', async () => {
      for (const { name } of await db.listCollections().toArray())
        for (const { key, sparse: isSparse } of await db.collection(name).listIndexes().toArray()) {
          if (!isSparse) continue;
          assert.equal(Object.keys(key as object).length, 1, `${name}: ${JSON.stringify(key)}`);
          sparse.set(name, [...(sparse.get(name) ?? []), ...Object.keys(key as object)]);
        }
      return ['files', 'scans', 'recommendations'].every((name) =>
        sparse.get(name)?.includes('nextAttemptAt'),
      );
    });
  });
});
