import assert from 'node:assert/strict';
import { eventually } from './eventually.ts';
import { deleteObject, keyOf, objectAt, putAsTold } from './store.ts';
import { storeAccess } from './target.ts';
import { difference, NOTHING, one, withStores, wrongSecret } from './tenant.ts';
import { bodyOf, requireRecent, requireRefusal } from './wire.ts';

const BODY = Buffer.from('hello world');
const active = (priority = 'hot') => one.active(BODY, { priority });
const waiting = () => one.start({ fileSizeBytes: BODY.length });

async function requireDeleted(fileId: string): Promise<void> {
  requireRefusal(await one.get(fileId), 410, 'file_deleted');
  requireRefusal(await one.complete(fileId), 410, 'file_deleted');
}

describe('A delete', () => {
  withStores(one, 'aws', 'r2', 'b2');

  for (const priority of ['hot', 'archive']) {
    // spec: endpoint.file-delete, errors.deleted-twice, retries.file-delete
    // spec: retries.file-deleted-already, state.after-delete
    it(`takes the object from the store, changes no usage, and is answered alike again (${priority})`, async () => {
      const { fileId, ...started } = await active(priority);
      const before = await one.usage();
      const { downloadUrl } = await one.file(fileId);
      const first = await one.delete(fileId);
      const { deletedAt, ...rest } = bodyOf(first, 200) as { deletedAt: string };
      assert.deepEqual(rest, { fileId, status: 'deleted' });
      requireRecent(deletedAt);
      assert.equal(await objectAt(started.provider, keyOf({ fileId, ...started })), undefined);
      assert.equal((await fetch(downloadUrl ?? '')).status, 404);
      for (let times = 0; times < 5; times += 1) {
        const again = await one.delete(fileId);
        assert.deepEqual([again.status, again.text], [200, first.text]);
      }
      await requireDeleted(fileId);
      assert.deepEqual(difference(before, await one.usage()), NOTHING);
    });
  }

  it('of a pending file releases its reservation once', async () => {
    const before = await one.usage();
    const fileSizeBytes = 123_456_789;
    const { fileId } = await one.start({ fileSizeBytes });
    const booked = { ...NOTHING, bookedBytes: fileSizeBytes, uploadsBooked: 1 };
    assert.deepEqual(difference(before, await one.usage()), booked);
    for (let times = 0; times < 3; times += 1) {
      bodyOf(await one.delete(fileId), 200);
      assert.deepEqual(difference(before, await one.usage()), NOTHING);
    }
    await requireDeleted(fileId);
  });

  it('of a pending file deletes an object that is already uploaded', async () => {
    const started = await waiting();
    await putAsTold(started, BODY);
    bodyOf(await one.delete(started.fileId), 200);
    assert.equal(await objectAt(started.provider, keyOf(started)), undefined);
    await requireDeleted(started.fileId);
  });

  it('of an object that is already missing from the store succeeds', async () => {
    const started = await active();
    await deleteObject(started.provider, keyOf(started));
    bodyOf(await one.delete(started.fileId), 200);
    await requireDeleted(started.fileId);
  });
});

describe('A delete at a store that refuses', () => {
  withStores(one, 'aws', 'r2', 'b2');
  after(async () => {
    bodyOf(await one.save(storeAccess('r2')), 200);
  });

  it('is accepted, and completed by the service once the store permits it', async () => {
    const started = await active();
    bodyOf(await one.save(wrongSecret('r2')), 200);
    const accepted = { fileId: started.fileId, status: 'deleting' };
    assert.deepEqual(bodyOf(await one.delete(started.fileId), 202), accepted);
    assert.deepEqual(bodyOf(await one.delete(started.fileId), 202), accepted);
    await requireDeleted(started.fileId);
    assert.ok(await objectAt(started.provider, keyOf(started)), 'the object is still there');

    bodyOf(await one.save(storeAccess('r2')), 200);
    await eventually(async () => {
      assert.equal(await objectAt(started.provider, keyOf(started)), undefined);
    });
    await eventually(async () => bodyOf(await one.delete(started.fileId), 200));
  });
});
