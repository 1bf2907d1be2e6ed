import assert from 'node:assert/strict';
import type { Files } from '../../../adapters/mongo/uploads/files.ts';
import type { FileRecord } from '../../../domain/uploads/file.ts';
import type { StoreLocation } from '../../../domain/providers/catalogue.ts';
import { addSeconds } from '../../../domain/common/time.ts';
import { DECEMBER, fileOf, freshId, NOVEMBER, NOW, testDatabase } from './database.ts';

describe('the records of files', () => {
  const database = testDatabase('test');
  let files: Files;
  beforeEach(() => {
    files = database.records.files;
  });

  async function arrive(overrides: Partial<FileRecord> = {}): Promise<FileRecord> {
    const file = fileOf(overrides);
    await files.insertFile(file);
    return file;
  }

  it('raise the expiry of their URLs while they are pending', async () => {
    const file = await arrive();
    const later = addSeconds(file.urlExpiresAt, 60);
    assert.equal(await files.extendUrl(file.fileId, later), true);
    assert.equal(await files.extendUrl(file.fileId, NOW), true);
    assert.deepEqual((await files.findFile(file))?.urlExpiresAt, later);
    const { fileId } = await arrive({ status: 'active' });
    assert.equal(await files.extendUrl(fileId, later), false);
  });

  it('are given back as they were inserted, once, sizes near 2^53 included, and to their account', async () => {
    for (const sizeBytes of [0, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]) {
      const file = await arrive({ sizeBytes });
      await assert.rejects(files.insertFile({ ...file, sizeBytes: 1 }));
      assert.deepEqual(await files.findFile(file), file);
      assert.equal(await files.findFile({ ...file, accountId: freshId('account') }), undefined);
    }
  });

  it('whose delete has stopped do not hold their provider, and are resumed by provider and account', async () => {
    const error = { code: 'provider_error', message: 'no' } as const;
    const stopped = { status: 'deleting', deleteStoppedAt: NOW, error } as const;
    const file = await arrive(stopped);
    const { accountId } = file;
    const location = { provider: 'b2', bucketName: 'old', region: 'us-west-004' } as const;
    const others = [
      await arrive({ accountId, ...stopped, location }),
      await arrive(stopped),
      await arrive({ accountId, status: 'active' }),
    ];
    const later = addSeconds(NOW, 60);
    // A delete that goes on is left alone.
    for (const at of [later, addSeconds(NOW, 120)])
      await files.resumeDeletes(accountId, file.location, at);
    const { error: _, ...rest } = file;
    const resumed = { ...rest, deleteStartedAt: later, nextAttemptAt: later };
    assert.deepEqual(await files.findFile(file), resumed);
    for (const same of others) assert.deepEqual(await files.findFile(same), same);
    assert.equal(await files.isProviderInUse(accountId, 'r2'), false);
  });

  it('are held at their place in any region: active ones of all accounts, pending ones of the account', async () => {
    const place = { provider: 'r2', bucketName: 'media', region: 'auto', accountId: 'a' } as const;
    const location = { ...place, jurisdiction: 'eu' } as const;
    const active = await arrive({ location, status: 'active' });
    const { accountId, objectKey } = await arrive({ location: place });
    for (const status of ['expired', 'deleting', 'deleted'] as const)
      await arrive({ location: { ...location, bucketName: 'former' }, accountId, status });
    const isHeld = (bucket: StoreLocation, keyPrefix: string | null = null) =>
      files.isHeldAt(accountId, bucket, keyPrefix);
    assert.equal(await isHeld({ ...location, region: 'weur' }), true);
    for (const other of [
      { ...location, provider: 'b2' },
      { ...location, bucketName: 'former' },
      { ...location, accountId: 'b' },
      { provider: 'r2', bucketName: 'media', region: 'auto', jurisdiction: 'eu' } as const,
    ])
      assert.equal(await isHeld(other), false, JSON.stringify(other));
    assert.equal(await isHeld(place), true, 'a pending file of its own');
    assert.equal(await files.isHeldAt(active.accountId, place, null), false, 'of another account');
    assert.equal(await isHeld(location, active.objectKey.slice(0, 20)), true);
    assert.equal(await isHeld(place, objectKey), true);
    assert.equal(await isHeld(location, objectKey), false);
    const aws = { provider: 'aws', bucketName: 'media', region: 'us-east-1' } as const;
    await arrive({ location: aws, status: 'active' });
    assert.equal(await isHeld({ ...aws, region: 'eu-west-1' }), true);
  });

  it('that are due are found by time, and account by account', async () => {
    const at = (seconds: number) => ({ nextAttemptAt: addSeconds(NOW, seconds) });
    const insert = async (overrides: Partial<FileRecord>) => (await arrive(overrides)).fileId;
    const third = await insert(at(-10));
    const first = await insert({ ...at(-30), status: 'active' });
    const tied = [await insert(at(-20)), await insert({ ...at(-20), status: 'deleting' })];
    await insert({});
    await insert(at(10));

    const { due } = files;
    const found = (await due.some(NOW, 10)).map(({ fileId }) => fileId);
    assert.deepEqual(found.toSorted(), [first, third, ...tied].toSorted());
    assert.equal((await due.some(NOW, 2)).length, 2);
    assert.deepEqual(await due.oldest(NOW), addSeconds(NOW, -30));

    const walked: string[] = [];
    for (
      let accountId = await due.nextAccount('', NOW);
      accountId !== undefined;
      accountId = await due.nextAccount(accountId, NOW)
    ) {
      walked.push(accountId);
      assert.equal((await due.of(accountId, NOW, 10)).length, 1);
    }
    assert.deepEqual(walked, [...new Set(walked)].toSorted());
    assert.equal(walked.length, 4);
  });

  it('are summed with every booking of an account, without what is no file, and from one of them on', async () => {
    const accountId = freshId('account');
    await arrive({ accountId, sizeBytes: 1 });
    await arrive({ accountId, sizeBytes: 10, status: 'expired' });
    await arrive({ accountId, sizeBytes: 100, month: DECEMBER });
    await arrive({ accountId: freshId('account'), sizeBytes: 1_000 });
    const discarded = await arrive({ accountId, sizeBytes: 100_000 });
    await files.discard(discarded.fileId);
    const sum = async (from?: string) => {
      const pieces = files.sumBookings({ accountId, month: NOVEMBER }, from);
      const found: unknown[] = [];
      for await (const piece of pieces) found.push(piece);
      return found;
    };
    assert.deepEqual(await sum(), [{ bytes: 11, uploads: 2, next: undefined }]);
    assert.deepEqual(await sum('0'), await sum());
    assert.deepEqual(await sum('z'), []);
  });
});
