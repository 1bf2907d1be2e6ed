import assert from 'node:assert/strict';
import type { Files } from '../../../adapters/mongo/uploads/files.ts';
import { placeKey } from '../../../domain/accounts/account.ts';
import { addSeconds } from '../../../domain/common/time.ts';
import type { StoreLocation } from '../../../domain/providers/catalogue.ts';
import type { FileRecord } from '../../../domain/uploads/file.ts';
import { fileOf, freshId, NOW, testDatabase } from './database.ts';

const B: StoreLocation = { provider: 'b2', bucketName: 'new', region: 'us-west-004' };

describe('the places of a file', () => {
  const database = testDatabase('test');
  let files: Files;
  beforeEach(() => {
    files = database.records.files;
  });
  const old = { relocationId: 'r1', etag: 'e', sha256: null, deleteAt: NOW };
  const begin = (seconds: number) => {
    const now = addSeconds(NOW, seconds);
    return { now, settledBy: addSeconds(now, -30) };
  };

  async function arrive(overrides: Partial<FileRecord> = {}): Promise<FileRecord> {
    const file = fileOf({ status: 'active', completedAt: NOW, ...overrides });
    await files.insertFile(file);
    return file;
  }

  async function moved(file: FileRecord, to: StoreLocation): Promise<FileRecord> {
    const after = await files.movePlace(file, to, old);
    assert.ok(after);
    return after;
  }

  it('change by one write, which lists the object at the place before', async () => {
    const file = await arrive();
    const after = await moved(file, B);
    assert.deepEqual(after.location, B);
    assert.deepEqual(after.oldObjects, [
      { placeKey: placeKey(file.location), location: file.location, ...old },
    ]);
    assert.deepEqual(await files.findFile(file), after);
  });

  it('do not change twice, after a delete, or after anything else about them has changed', async () => {
    const file = await arrive();
    await moved(file, B);
    assert.equal(await files.movePlace(file, B, old), undefined);
    const deleted = await arrive({ status: 'deleting' });
    assert.equal(await files.movePlace(deleted, B, old), undefined);
    const late = await arrive();
    assert.ok(await files.addOldObject(late, { ...old, location: B }));
    assert.ok(await files.beginOldDelete(late.fileId, B, begin(0)));
    await files.removeOldObject(late.fileId, B, NOW);
    // A worker that read it before: its copy there has been deleted.
    assert.equal(await files.movePlace(late, B, old), undefined);
  });

  it('do not go back to where an old object waits, until its delete is done', async () => {
    const file = await arrive();
    const there = await moved(file, B);
    assert.equal(await files.movePlace(there, file.location, old), undefined);
    assert.ok(await files.beginOldDelete(file.fileId, file.location, begin(0)));
    assert.equal(await files.movePlace(there, file.location, old), undefined);
    await files.removeOldObject(file.fileId, file.location, NOW);
    const after = await files.findFile(file);
    assert.ok(after);
    assert.equal(after.oldObjects, undefined);
    assert.deepEqual((await moved(after, file.location)).location, file.location);
  });

  it('keep an old object while a delete of another worker may still arrive', async () => {
    const file = await arrive();
    await moved(file, B);
    assert.equal(await files.beginOldDelete(file.fileId, file.location, begin(0)), true);
    assert.equal(await files.beginOldDelete(file.fileId, file.location, begin(20)), false);
    assert.equal(await files.beginOldDelete(file.fileId, file.location, begin(30)), true);
    // The first worker comes late: the entry is the second one's.
    await files.removeOldObject(file.fileId, file.location, NOW);
    assert.equal((await files.findFile(file))?.oldObjects?.length, 1);
  });

  it('list no object of the place where the file is', async () => {
    const file = await arrive();
    assert.equal(await files.addOldObject(file, { ...old, location: file.location }), false);
    assert.equal(await files.beginOldDelete(file.fileId, file.location, begin(0)), false);
    const there = await moved(file, B);
    assert.equal(await files.addOldObject(there, { ...old, location: file.location }), false);
  });

  it('are in the answer of the write that deletes the file', async () => {
    const file = await arrive();
    await moved(file, B);
    const deleting = await files.change(file.fileId, ['active'], { set: { status: 'deleting' } });
    assert.deepEqual(deleting?.location, B);
    assert.equal(deleting.oldObjects?.length, 1);
  });

  it('are listed in pages of active files, in the order of their ids', async () => {
    const accountId = freshId('account');
    const all = await Promise.all([0, 1, 2, 3].map(() => arrive({ accountId })));
    await arrive({ accountId, status: 'pending' });
    await arrive({ accountId, location: B });
    await arrive({ accountId, createdAt: addSeconds(NOW, 10) });
    await arrive({ accountId, completedAt: addSeconds(NOW, 10) });
    const ids = all.map(({ fileId }) => fileId).sort();
    const { location } = fileOf({});
    const list = async (after: string | null, limit: number, fileIds?: readonly string[]) => {
      const select = {
        createdBefore: addSeconds(NOW, 5),
        completedBefore: addSeconds(NOW, 5),
        ...(fileIds ? { fileIds } : {}),
      };
      const listed = await files.listActiveAt(accountId, location, select, { after, limit });
      return listed.map(({ fileId }) => fileId);
    };
    assert.deepEqual(await list(null, 3), ids.slice(0, 3));
    assert.deepEqual(await list(ids[2] ?? '', 3), ids.slice(3));
    assert.deepEqual(await list(null, 9, [ids[1] ?? '', 'unknown']), [ids[1]]);
  });
});
