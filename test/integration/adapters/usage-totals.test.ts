import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { UsageTotals } from '../../../adapters/mongo/uploads/usage.ts';
import type { FileEvent, FileRecord } from '../../../domain/uploads/file.ts';
import {
  addTotals,
  eventTotals,
  totalRouted,
  type MonthlyTotals,
} from '../../../domain/uploads/usage-totals.ts';
import {
  completeFile,
  countPending,
  expireFile,
  finishDelete,
  startDelete,
  type FileTransitionDeps,
} from '../../../operations/uploads/file-transitions.ts';
import { fileOf, freshId, NOVEMBER, NOW, testDatabase, race } from './database.ts';

const PROVIDERS = ['aws', 'r2', 'b2'] as const;
/** So few that the calls of one property meet several trims. */
const EVENTS_BETWEEN_TRIMS = 5;
const HUGE = 2 ** 52;

interface StoredTotals {
  readonly _id: string;
  readonly generation: number;
  readonly recent: readonly string[];
}

describe('the monthly totals of an account', () => {
  const database = testDatabase();
  let usageTotals: UsageTotals;
  let deps: FileTransitionDeps;
  before(async () => {
    deps = createProcess();
    ({ usageTotals } = deps);
  });

  /** Totals as another process sees them: it remembers nothing of this one. */
  function createProcess(): FileTransitionDeps {
    const totals = new UsageTotals(database.db, EVENTS_BETWEEN_TRIMS);
    return { ...database.records, usageTotals: totals, now: () => NOW };
  }

  async function arrive(accountId: string, index = 0, sizeBytes = index): Promise<FileRecord> {
    const provider = PROVIDERS[index % 3] ?? 'aws';
    const location = { provider, bucketName: 'photos', region: 'auto' };
    const file = fileOf({ accountId, sizeBytes, location });
    await database.records.files.insertFile(file);
    return file;
  }

  /** What a process does that ends before it counts. */
  const complete = ({ fileId }: FileRecord) => {
    const set = { status: 'active', completedAt: NOW } as const;
    return database.records.files.change(fileId, ['pending'], { set, event: 'completed' });
  };
  const read = async (accountId: string): Promise<MonthlyTotals> =>
    addTotals([(await usageTotals.read(accountId, [NOVEMBER])).get(NOVEMBER) ?? {}]);
  const expected = (events: readonly (readonly [FileRecord, FileEvent])[]): MonthlyTotals =>
    addTotals(events.map(([file, event]) => eventTotals(file, event)));
  const allCompleted = (files: readonly FileRecord[]) =>
    expected(files.map((file) => [file, 'completed']));
  const stored = async (accountId: string) =>
    await database.db
      .collection<StoredTotals>('usageTotals')
      .findOne({ _id: `${accountId}|${NOVEMBER}` });

  it('show a reader at any moment all that was counted, and nothing that was not', async () => {
    const accountId = freshId('account');
    const files = await race(100, (index) => arrive(accountId, index, 1));
    const progress = { begun: 0, done: 0 };
    const looks: [least: number, seen: bigint, most: number][] = [];
    const writing = race(8, async () => {
      for (let file = files.shift(); file; file = files.shift()) {
        progress.begun += 1;
        await completeFile(deps, file);
        progress.done += 1;
      }
    });
    while (progress.done < 100) {
      const least = progress.done;
      const { uploads } = totalRouted(await read(accountId));
      looks.push([least, uploads, progress.begun]);
    }
    await writing;
    assert.ok(looks.length > 5);
    for (const [least, seen, most] of looks) assert.ok(least <= seen && seen <= most, `${seen}`);
  });

  it('do not count again what a caller brings that slept across a trim', async () => {
    const accountId = freshId('account');
    const file = await arrive(accountId, 1, 7);
    // The process reads generation and file, and sleeps before it counts.
    const late = createProcess();
    const generation = await late.usageTotals.generation(file);
    await complete(file);
    const seen = await database.records.files.findFile(file);
    assert.ok(seen);
    await countPending(deps, seen);
    const others = await race(EVENTS_BETWEEN_TRIMS, (index) => arrive(accountId, index, 3));
    for (const other of others) await completeFile(deps, other);
    assert.ok(!(await stored(accountId))?.recent.includes(`${file.fileId}:completed`));

    assert.equal(await late.usageTotals.count(seen, 'completed', generation), false);
    await countPending(late, seen);
    assert.deepEqual(await read(accountId), allCompleted([file, ...others]));
  });

  it('keep the ids of events whose files still list them', async () => {
    const accountId = freshId('account');
    const file = await arrive(accountId);
    const generation = await usageTotals.generation(file);
    await complete(file);
    // The process ends after the count.
    assert.ok(await usageTotals.count(file, 'completed', generation));
    const others = await race(60, (index) => arrive(accountId, index));
    for (const other of others) await completeFile(deps, other);
    const totals = await stored(accountId);
    assert.ok(totals?.recent.includes(`${file.fileId}:completed`));
    assert.ok((totals?.generation ?? 0) >= 2);
    const found = await database.records.files.findFile(file);
    assert.ok(found?.totalsPending);
    await countPending(createProcess(), found);
    assert.equal(totalRouted(await read(accountId)).uploads, 61n);
  });

  it('hold for any files, events and repeats, in any order', async () => {
    const steps = {
      complete: completeFile,
      expire: (one: FileTransitionDeps, file: FileRecord) => expireFile(one, file),
      startDelete,
      finishDelete,
      count: countPending,
    };
    const call = fc.record({
      name: fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[])),
      which: fc.nat(5),
      copies: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 40 }), async (calls) => {
        const accountId = freshId('account');
        // Their sum is beyond 2^53.
        const files = await race(6, (index) => arrive(accountId, index, HUGE + index));
        const processes = [deps, createProcess()];
        await Promise.all(
          calls.map(async ({ name, which, copies }, index) => {
            const [known] = files.slice(which);
            assert.ok(known);
            const latest = await database.records.files.findFile(known);
            assert.ok(latest);
            await race(copies, () => steps[name](processes[index % 2] ?? deps, latest));
          }),
        );
        const events: [FileRecord, FileEvent][] = [];
        for (const file of files) {
          const found = await database.records.files.findFile(file);
          assert.ok(found);
          const { status, completedAt, expiredAt } = await countPending(deps, found);
          if (completedAt) events.push([found, 'completed']);
          if (expiredAt) events.push([found, 'expired']);
          if (status.startsWith('delet')) events.push([found, 'deleted']);
        }
        assert.deepEqual(await read(accountId), expected(events));
      }),
      { numRuns: 15 },
    );
  });
});
