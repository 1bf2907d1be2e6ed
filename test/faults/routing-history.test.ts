import assert from 'node:assert/strict';
import { createCustomer, openDatabase, type StoredDocument } from '../harness/customer.ts';
import { localServers, localService } from '../servers.ts';

const UPLOADS = 60;
const PAGE = 25;

describe('the routing history of an account', () => {
  it('lists files of the same moment by their id, and no place that a file left which was never inserted', async () => {
    const [{ stack }, { baseUrl }] = [await localServers(), await localService()];
    const customer = await createCustomer(stack, baseUrl);
    const made = await Promise.all(Array.from({ length: UPLOADS }, () => customer.init()));
    const ids = made.map(({ fileId }) => fileId).sort();
    const { db, close } = await openDatabase(stack);
    const files = db.collection<StoredDocument>('files');
    const createdAt = new Date('2099-01-01T00:00:00.000Z');
    await files.updateMany({ _id: { $in: ids.slice(0, 2) } }, { $set: { createdAt } });
    const tombstone = { status: 'expired', tombstone: true, createdAt };
    const { accountId } = customer;
    await files.insertOne({ _id: crypto.randomUUID(), accountId, ...tombstone });
    await close();
    const items: string[] = [];
    for (let offset = 0; offset < UPLOADS; offset += PAGE) {
      const route = `GET /v1/analytics/routing-history?limit=${PAGE}&offset=${offset}`;
      const { body } = await customer.manage(route);
      assert.equal(body['total'], UPLOADS);
      items.push(...(body['items'] as { fileId: string }[]).map(({ fileId }) => fileId));
    }
    assert.deepEqual(items.slice(0, 2), ids.slice(0, 2));
    assert.deepEqual(items.toSorted(), ids);
  });
});
