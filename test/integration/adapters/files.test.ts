import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Files } from '../../../adapters/mongo/files.ts';
import { FILE_STATUSES, type FileRecord, type FileStatus } from '../../../domain/file.ts';
import { addSeconds } from '../../../domain/time.ts';
import { fileOf, freshId, NOVEMBER, NOW, openTestDatabase, race } from './database.ts';
import type { TestDatabase } from './database.ts';

const LATER = addSeconds(NOW, 60);

/** Each move, the statuses from which it is made, and where it leads. */
const MOVES: Record<
  string,
  {
    from: FileStatus[];
    to: FileStatus;
    make: (files: Files, fileId: string) => Promise<boolean>;
    marks?: Partial<FileRecord>;
  }
> = {
  activate: {
    from: ['pending'],
    to: 'active',
    make: (files, fileId) => files.activate(fileId, LATER),
    marks: { completedAt: LATER, totalsPending: LATER },
  },
  expire: {
    from: ['pending'],
    to: 'expired',
    make: (files, fileId) => files.expire(fileId, LATER),
    marks: { expiredAt: LATER, totalsPending: LATER },
  },
  startDeletePending: {
    from: ['pending'],
    to: 'deleting',
    make: (files, fileId) => files.startDeletePending(fileId, LATER),
    marks: { totalsPending: LATER, deleteDue: LATER },
  },
  startDeleteSettled: {
    from: ['active', 'expired'],
    to: 'deleting',
    make: (files, fileId) => files.startDeleteSettled(fileId, LATER),
    marks: { totalsPending: LATER, deleteDue: LATER },
  },
  finishDelete: {
    from: ['deleting'],
    to: 'deleted',
    make: (files, fileId) => files.finishDelete(fileId, LATER),
    marks: { deletedAt: LATER },
  },
};

describe('the records of files', () => {
  let database: TestDatabase;
  let files: Files;
  before(async () => {
    database = await openTestDatabase();
    files = database.records.files;
  });
  after(() => database.close());

  async function arrive(overrides: Partial<FileRecord> = {}): Promise<FileRecord> {
    const file = fileOf(overrides);
    await files.insert(file);
    return file;
  }

  describe('moves', () => {
    for (const [name, { from, to, make, marks }] of Object.entries(MOVES)) {
      for (const status of FILE_STATUSES) {
        const allowed = from.includes(status);
        it(`${name} is ${allowed ? `a move from ${status} to ${to}` : `refused from ${status}`}`, async () => {
          const file = await arrive({ status });
          assert.equal(await make(files, file.fileId), allowed);
          const expected = allowed ? { ...file, status: to, ...marks } : file;
          assert.deepEqual(await files.find(file), expected);
          assert.equal(await make(files, file.fileId), false, 'the second time moves nothing');
          assert.deepEqual(await files.find(file), expected);
        });
      }

      it(`${name} is refused where there is no file`, async () => {
        assert.equal(await make(files, randomUUID()), false);
      });

      it(`${name} is made by one of 20 that come at once`, async () => {
        const [status] = from;
        const { fileId } = await arrive({ status: status ?? 'pending' });
        const moved = await race(20, () => make(files, fileId));
        assert.deepEqual(moved.filter(Boolean), [true]);
      });
    }

    it('of different kinds at once: one of them wins', async () => {
      for (let round = 0; round < 10; round += 1) {
        const file = await arrive();
        const rivals = ['activate', 'expire', 'startDeletePending'].map((name) => MOVES[name]);
        const moved = await race(15, async (index) => {
          const rival = rivals[index % 3];
          return (await rival?.make(files, file.fileId)) ? rival?.to : undefined;
        });
        const winners = moved.filter((status) => status !== undefined);
        assert.equal(winners.length, 1);
        assert.equal((await files.find(file))?.status, winners[0]);
      }
    });
  });

  it('are given back as they were inserted, sizes near 2^53 included', async () => {
    for (const sizeBytes of [0, 1, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]) {
      const file = await arrive({ sizeBytes });
      assert.deepEqual(await files.find(file), file);
    }
  });

  it('are undefined for another account, as if there were none', async () => {
    const file = await arrive();
    assert.equal(await files.find({ ...file, accountId: freshId('account') }), undefined);
    assert.equal(await files.find({ ...file, fileId: randomUUID() }), undefined);
  });

  it('are inserted once', async () => {
    const file = await arrive();
    await assert.rejects(files.insert({ ...file, sizeBytes: 1 }));
    assert.deepEqual(await files.find(file), file);
  });

  it('whose insert never came leave a tombstone, with which a late insert collides', async () => {
    const file = fileOf();
    await files.insertTombstone(file, NOW);
    await files.insertTombstone(file, NOW);
    await assert.rejects(files.insert(file));
    assert.equal(await files.find(file), undefined, 'a tombstone is no file');
    for (const { make } of Object.values(MOVES)) {
      if (make !== MOVES['startDeleteSettled']?.make)
        assert.equal(await make(files, file.fileId), false);
    }
  });

  it('that are there stay as they are when a tombstone comes late', async () => {
    const file = await arrive();
    await files.insertTombstone(file, NOW);
    assert.deepEqual(await files.find(file), file);
  });

  it('hold a provider in use while they are pending or deleting, theirs and no other', async () => {
    for (const status of FILE_STATUSES) {
      const { accountId } = await arrive({ status });
      const expected = status === 'pending' || status === 'deleting';
      assert.equal(await files.isProviderInUse(accountId, 'r2'), expected, status);
      assert.equal(await files.isProviderInUse(accountId, 'aws'), false);
      assert.equal(await files.isProviderInUse(freshId('account'), 'r2'), false);
    }
  });

  it('that are overdue are found oldest first, so many and no more, and only the unsettled', async () => {
    const own = await openTestDatabase();
    const at = (seconds: number) => ({ deadline: addSeconds(NOW, seconds) });
    const insert = async (overrides: Partial<FileRecord>) => {
      const file = fileOf(overrides);
      await own.records.files.insert(file);
      return file.fileId;
    };
    const third = await insert(at(-10));
    const first = await insert(at(-30));
    const second = await insert({ ...at(-20), status: 'deleting' });
    for (const status of ['active', 'expired', 'deleted'] as const)
      await insert({ ...at(-40), status });
    await insert(at(0));
    await insert(at(10));
    await own.records.files.insertTombstone(fileOf(), addSeconds(NOW, -100));

    const found = async (limit: number) =>
      (await own.records.files.findStuck(NOW, limit)).map(({ fileId }) => fileId);
    assert.deepEqual(await found(10), [first, second, third]);
    assert.deepEqual(await found(2), [first, second]);
    await own.close();
  });

  it('owe their delete until a workflow has begun with it, the oldest first', async () => {
    const own = await openTestDatabase();
    const { files: owed } = own.records;
    const asked = async (seconds: number) => {
      const file = fileOf();
      await owed.insert(file);
      await owed.startDeletePending(file.fileId, addSeconds(NOW, seconds));
      return file.fileId;
    };
    const second = await asked(-20);
    const first = await asked(-30);
    await asked(0);
    const held = await asked(-40);
    await owed.holdDelete(held);
    const found = async (limit: number) =>
      (await owed.findOwing('deleteDue', NOW, limit)).map(({ fileId }) => fileId);
    assert.deepEqual(await found(10), [first, second]);
    assert.deepEqual(await found(1), [first]);
    await own.close();
  });

  it('are summed by what still held a reservation at a moment', async () => {
    const accountId = freshId('account');
    const mine = (overrides: Partial<FileRecord>) => arrive({ accountId, ...overrides });
    await mine({ sizeBytes: 1 });
    await files.activate((await mine({ sizeBytes: 10 })).fileId, NOW);
    await files.expire((await mine({ sizeBytes: 100 })).fileId, NOW);
    await files.startDeletePending((await mine({ sizeBytes: 1_000 })).fileId, LATER);
    await arrive({ sizeBytes: 10_000 });
    const held = (releasedAfter: Date) => files.sumHeld(accountId, NOVEMBER, releasedAfter);
    assert.deepEqual(await held(LATER), { bytes: 11, uploads: 2 });
    assert.deepEqual(await held(NOW), { bytes: 1_011, uploads: 3 });
    assert.deepEqual(await held(addSeconds(NOW, -1)), { bytes: 1_111, uploads: 4 });
  });
});
