import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { Collection, Db } from 'mongodb';
import { ManifestCounts } from '../../../adapters/mongo/migrations/page-counts.ts';
import { addCounts, NO_COUNTS, type MigrationCounts } from '../../../domain/migrations/counts.ts';
import { freshId, NOW, testDatabase } from './database.ts';

const WRITES = new Set(['insertOne', 'updateOne', 'bulkWrite']);
/** The counts are not read from the ledger here. */
const ledger = { ofPage: () => assert.fail('not read'), close: async () => true };

/** A process that dies at its nth write, before or after the database has made it. */
function dyingAt(db: Db, writes: number, isMade: boolean): Db {
  let made = 0;
  const wrap = (collection: Collection): Collection =>
    new Proxy(collection, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          const run = () => member.apply(target, args) as unknown;
          if (!WRITES.has(String(name)) || ++made < writes) return run();
          return Promise.resolve(isMade ? run() : undefined).then(() => {
            throw new Error('killed');
          });
        };
      },
    });
  return { collection: (name: string) => wrap(db.collection(name)) } as unknown as Db;
}

const copied = (objects: number): MigrationCounts => ({
  ...NO_COUNTS,
  copied: objects,
  bytesSettled: 3 * objects,
});

describe('the running sum of a migration', () => {
  const database = testDatabase();
  let counts: ManifestCounts;
  let migrationId: string;
  before(async () => {
    counts = new ManifestCounts(database.db, ledger);
  });
  beforeEach(() => {
    migrationId = freshId('migration');
  });

  const save = async (page: number, batches: number, objects: number, more = NO_COUNTS) => {
    await counts.begin(migrationId, page, NOW);
    const all = addCounts(copied(objects), more);
    const progress = { batches, bytesInFlight: 0, samples: [] };
    await counts.saveCounts(migrationId, page, { ...all, ...progress }, NOW);
  };
  const read = async () => (await counts.confirmed([migrationId])).get(migrationId);

  it('is exact after each step, wherever a process that adds to it dies', async () => {
    const step = fc.oneof(
      fc.record({ page: fc.nat(4), objects: fc.nat(9) }),
      fc.record({ diesAt: fc.integer({ min: 1, max: 5 }), isMade: fc.boolean() }),
    );
    const steps = fc.array(step, { minLength: 5, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        migrationId = freshId('migration');
        const pages = new Map<number, { batches: number; objects: number }>();
        for (const each of taken) {
          if ('page' in each) {
            const { batches, objects } = pages.get(each.page) ?? { batches: 0, objects: 0 };
            const after = { batches: batches + 1, objects: objects + each.objects };
            pages.set(each.page, after);
            await save(each.page, after.batches, after.objects);
          } else {
            const dying = dyingAt(database.db, each.diesAt, each.isMade);
            await new ManifestCounts(dying, ledger).sum(migrationId).catch(() => undefined);
          }
          const expected = [...pages.values()].reduce((sum, { objects }) => sum + objects, 0);
          assert.deepEqual((await read())?.counts ?? NO_COUNTS, copied(expected));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('counts each change once among many processes that add at once', async () => {
    const saves = Array.from({ length: 60 }, (_unused, at) => async () => {
      await save(at % 20, Math.floor(at / 20) + 1, Math.floor(at / 20) + 1);
      await counts.sum(migrationId);
    });
    for (const round of [0, 1, 2])
      await Promise.all(saves.slice(20 * round, 20 * (round + 1)).map((each) => each()));
    assert.deepEqual(await counts.counts(migrationId), copied(60));
    // It leaves no page behind that a look would read.
    await counts.close(migrationId, NOW, () => undefined);
    assert.deepEqual(await counts.counts(migrationId), copied(60));
    const left = { $or: [{ unsummedOf: migrationId }, { openOf: migrationId }] };
    assert.equal(await database.db.collection('manifestCounts').countDocuments(left), 0);
  });

  it('lists the pages with failures in order, and no other migration’s', async () => {
    const failed = { ...NO_COUNTS, failed: 1 };
    for (const page of [12, 2, 100]) await save(page, 1, 1, failed);
    await save(7, 1, 1);
    await save(2, 2, 2);
    const other = migrationId;
    migrationId = `${other}-2`;
    await save(1, 1, 1, failed);
    const found: number[] = [];
    for await (const page of counts.withFailures(other)) found.push(page);
    assert.deepEqual(found, [12, 100]);
  });
});
