import assert from 'node:assert/strict';
import { eventually } from './eventually.ts';
import { deleteObject, keyOf, objectAt, putAsTold, putTo } from './store.ts';
import { storeAccess } from './target.ts';
import { difference, one, withStores, wrongSecret, type Started } from './tenant.ts';
import { bodyOf, requireRefusal } from './wire.ts';

const BODY = Buffer.from('hello world');
const NOTHING = { routedBytes: 0, uploads: 0, bookedBytes: 0, uploadsBooked: 0 };

async function active(priority = 'hot'): Promise<Started> {
  const started = await one.start({ fileSizeBytes: BODY.length, priority });
  await putAsTold(started, BODY);
  await one.completed(started.fileId);
  return started;
}

interface Deleted {
  readonly fileId: string;
  readonly status: string;
  readonly deletedAt: string;
}

describe('A delete', () => {
  withStores(one, 'aws', 'r2', 'b2');

  for (const priority of ['hot', 'archive']) {
    // spec: endpoint.file-delete
    it(`takes the object from the store (${priority})`, async () => {
      const started = await active(priority);
      const { downloadUrl } = await one.file(started.fileId);
      const { deletedAt, ...rest } = bodyOf(await one.delete(started.fileId), 200) as Deleted;
      assert.deepEqual(rest, { fileId: started.fileId, status: 'deleted' });
      assert.match(deletedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.ok(Math.abs(Date.parse(deletedAt) - Date.now()) < 60_000);
      assert.equal(await objectAt(started.provider, keyOf(started)), undefined);
      assert.equal((await fetch(downloadUrl ?? '')).status, 404);
    });
  }

  // spec: errors.deleted-twice, retries.file-delete, retries.file-deleted-already
  it('gives the same answer again, with the first moment', async () => {
    const { fileId } = await active();
    const first = await one.delete(fileId);
    bodyOf(first, 200);
    for (let times = 0; times < 5; times += 1) {
      const again = await one.delete(fileId);
      assert.deepEqual([again.status, again.text], [200, first.text]);
    }
  });

  // spec: state.after-delete
  it('leaves nothing to get or to complete', async () => {
    const { fileId } = await active();
    bodyOf(await one.delete(fileId), 200);
    requireRefusal(await one.get(fileId), 410, 'file_deleted');
    requireRefusal(await one.complete(fileId), 410, 'file_deleted');
    requireRefusal(await one.complete(fileId), 410, 'file_deleted');
  });

  it('of an active file changes neither usage nor quota', async () => {
    const { fileId } = await active();
    const before = await one.usage();
    bodyOf(await one.delete(fileId), 200);
    bodyOf(await one.delete(fileId), 200);
    assert.deepEqual(difference(before, await one.usage()), NOTHING);
  });

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
    requireRefusal(await one.get(fileId), 410, 'file_deleted');
  });

  it('of a pending file deletes an object that is already uploaded', async () => {
    const started = await one.start({ fileSizeBytes: BODY.length });
    await putAsTold(started, BODY);
    bodyOf(await one.delete(started.fileId), 200);
    assert.equal(await objectAt(started.provider, keyOf(started)), undefined);
    requireRefusal(await one.complete(started.fileId), 410, 'file_deleted');
  });

  it('stays deleted where a slow PUT ends after it', async () => {
    const started = await one.start({ fileSizeBytes: BODY.length });
    bodyOf(await one.delete(started.fileId), 200);
    await putTo(started.presignedUrl, { headers: started.requiredHeaders, body: BODY });
    requireRefusal(await one.complete(started.fileId), 410, 'file_deleted');
    requireRefusal(await one.get(started.fileId), 410, 'file_deleted');
    // The service deletes the late object when the window closes, after the end of this test.
    await deleteObject(started.provider, keyOf(started));
  });

  it('of an object that is already missing from the store succeeds', async () => {
    const started = await active();
    await deleteObject(started.provider, keyOf(started));
    bodyOf(await one.delete(started.fileId), 200);
    requireRefusal(await one.get(started.fileId), 410, 'file_deleted');
  });

  // spec: errors.unknown-file
  it('of a file that there never was is not found', async () => {
    requireRefusal(await one.delete(crypto.randomUUID()), 404, 'file_not_found');
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
    requireRefusal(await one.get(started.fileId), 410, 'file_deleted');
    requireRefusal(await one.complete(started.fileId), 410, 'file_deleted');
    assert.ok(await objectAt(started.provider, keyOf(started)), 'the object is still there');

    bodyOf(await one.save(storeAccess('r2')), 200);
    await eventually(async () => {
      assert.equal(await objectAt(started.provider, keyOf(started)), undefined);
    });
    await eventually(async () => bodyOf(await one.delete(started.fileId), 200));
  });
});
