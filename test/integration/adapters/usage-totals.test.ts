import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import {
  createUsageTotals,
  type EntryPlace,
  type UsageTotals,
  type UsageEntry,
} from '../../../adapters/mongo/usage-totals.ts';
import { totalRouted, type Routed, type MonthlyTotals } from '../../../domain/usage-totals.ts';
import {
  DECEMBER,
  freshId,
  NOVEMBER,
  openTestDatabase,
  race,
  type TestDatabase,
} from './database.ts';

const PROVIDERS = ['aws', 'r2', 'b2'] as const;
const CHUNK_ENTRIES = 25;
const HUGE = 2n ** 60n;

interface Held {
  readonly reached: Promise<void>;
  readonly release: () => void;
  readonly place: EntryPlace;
}

describe('the sums of an account', () => {
  let database: TestDatabase;
  before(async () => {
    database = await openTestDatabase();
    sums = createUsageTotals(database.db, CHUNK_ENTRIES);
  });
  after(() => database.close());

  let sums: UsageTotals;
  const usageTotals = (): UsageTotals => sums;
  const chunks = () =>
    database.db.collection<{ _id: string; entries: string[] }>('usageTotalChunks');

  /** An entry's place, kept by the same conditional rule as a file's document keeps it. */
  function createPlace(): EntryPlace {
    let chunk: number | undefined;
    return {
      chunk: undefined,
      find: () => Promise.resolve(chunk),
      move: (from, to) => {
        if (chunk === from) chunk = to;
        return Promise.resolve();
      },
    };
  }

  function entryOf(accountId: string, index: number, bytes = BigInt(index)): UsageEntry {
    const provider = PROVIDERS[index % 3] ?? 'aws';
    const routed = { uploads: 1n, bytes, savedMicroUsd: index % 2 ? -bytes : bytes };
    return {
      accountId,
      month: NOVEMBER,
      id: randomUUID(),
      sums: { byProvider: { [provider]: routed } },
    };
  }

  async function routed(accountId: string): Promise<Routed> {
    return totalRouted((await usageTotals().read(accountId, [NOVEMBER])).get(NOVEMBER) ?? {});
  }

  const expected = (entries: readonly UsageEntry[]): Routed =>
    entries.reduce<Routed>(
      (sum, { sums }) => {
        const one = totalRouted(sums);
        return {
          uploads: sum.uploads + one.uploads,
          bytes: sum.bytes + one.bytes,
          savedMicroUsd: sum.savedMicroUsd + one.savedMicroUsd,
        };
      },
      { uploads: 0n, bytes: 0n, savedMicroUsd: 0n },
    );

  /** A caller that has read where its entry belongs, and sleeps before it counts there. */
  function hold(place: EntryPlace): Held {
    let release = () => {};
    let arrive = () => {};
    const reached = new Promise<void>((resolve) => (arrive = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    let isFirst = true;
    return {
      reached,
      release: () => release(),
      place: {
        ...place,
        async find() {
          const chunk = await place.find();
          if (!isFirst) return chunk;
          isFirst = false;
          arrive();
          await released;
          return chunk;
        },
      },
    };
  }

  it('are nothing where nothing was counted', async () => {
    const found = await usageTotals().read(freshId('account'), [NOVEMBER, DECEMBER]);
    assert.deepEqual([...found.keys()], [NOVEMBER, DECEMBER]);
    for (const sums of found.values()) assert.equal(totalRouted(sums).uploads, 0n);
  });

  it('count each of many entries once, across seals and folds, three times at once each', async () => {
    const accountId = freshId('account');
    const entries = Array.from({ length: 200 }, (_, index) => entryOf(accountId, index));
    const queue = entries.flatMap((entry) => {
      const place = createPlace();
      return [0, 1, 2].map(() => () => usageTotals().count(entry, place));
    });
    await race(30, async () => {
      for (let next = queue.shift(); next; next = queue.shift()) await next();
    });
    assert.deepEqual(await routed(accountId), expected(entries));
    const stored = await chunks()
      .find({ _id: { $regex: `^${accountId}` } })
      .toArray();
    const ids = stored.flatMap((chunk) => chunk.entries);
    assert.ok(stored.length >= 200 / (CHUNK_ENTRIES + 30), `${stored.length} chunks`);
    assert.deepEqual(ids.toSorted(), entries.map(({ id }) => id).toSorted());
  });

  it('show a reader at any moment all that was counted, and nothing that was not', async () => {
    const accountId = freshId('account');
    const entries = Array.from({ length: 150 }, (_, index) => entryOf(accountId, index, 1n));
    let done = 0;
    const over = { is: false };
    const looks: [least: number, seen: bigint, most: number][] = [];
    let begun = 0;
    const queue = [...entries];
    const writing = race(8, async () => {
      for (let entry = queue.shift(); entry; entry = queue.shift()) {
        begun += 1;
        await usageTotals().count(entry, createPlace());
        done += 1;
      }
    }).finally(() => (over.is = true));
    while (!over.is) {
      const least = done;
      const { uploads } = await routed(accountId);
      looks.push([least, uploads, begun]);
    }
    await writing;
    assert.ok(looks.length > 5);
    for (const [least, seen, most] of looks) assert.ok(least <= seen && seen <= most, `${seen}`);
  });

  for (const [when, isSealed] of [
    ['after the seal', false],
    ['after the fold of the next one as well', true],
  ] as const) {
    it(`do not count again what a late caller brings ${when}`, async () => {
      const accountId = freshId('account');
      const rest = (from: number, count: number) =>
        Array.from({ length: count }, (_, index) => entryOf(accountId, from + index, 3n));
      const [known, unknown] = [entryOf(accountId, 1, 7n), entryOf(accountId, 2, 11n)];
      const [knownPlace, unknownPlace] = [createPlace(), createPlace()];
      // Both have chosen chunk 1; one of them is counted in it, the other never came so far.
      await usageTotals().count(known, knownPlace);
      await unknownPlace.move(undefined, 1);
      const late = [hold(knownPlace), hold(unknownPlace), hold(unknownPlace)];
      const waiting = [known, unknown, unknown].map((entry, index) =>
        usageTotals().count(entry, (late[index] ?? late[0])?.place ?? knownPlace),
      );
      await Promise.all(late.map(({ reached }) => reached));
      const others = rest(10, isSealed ? 2 * CHUNK_ENTRIES + 20 : CHUNK_ENTRIES + 20);
      for (const entry of others) await usageTotals().count(entry, createPlace());
      for (const { release } of late) release();
      await Promise.all(waiting);
      await usageTotals().count(unknown, unknownPlace);
      assert.deepEqual(await routed(accountId), expected([known, unknown, ...others]));
      assert.equal(await knownPlace.find(), 1);
      assert.equal(await unknownPlace.find(), isSealed ? 3 : 2);
    });
  }

  it('are exact beyond 2^53, and below zero', async () => {
    const accountId = freshId('account');
    const entries = [0, 1, 2, 3, 4, 5].map((index) =>
      entryOf(accountId, index, HUGE + BigInt(index)),
    );
    for (const entry of entries) await usageTotals().count(entry, createPlace());
    assert.deepEqual(await routed(accountId), expected(entries));
  });

  it('hold for any files, events and repeats, in any order', async () => {
    const event = fc.constantFrom('expired', 'deleted', 'deletedActive', 'deletedExpired');
    const call = fc.record({ event, which: fc.nat(15), copies: fc.integer({ min: 1, max: 3 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 30 }), async (calls) => {
        const accountId = freshId('account');
        const places = new Map<string, EntryPlace>();
        const once: Record<string, Set<number>> = {};
        await Promise.all(
          calls.map(async ({ event: name, which, copies }) => {
            const id = `${which}:${name}`;
            const place = places.get(id) ?? createPlace();
            places.set(id, place);
            (once[name] ??= new Set()).add(which);
            const added: MonthlyTotals = { [name]: 1n };
            await race(copies, () =>
              usageTotals().count({ accountId, month: DECEMBER, id, sums: added }, place),
            );
          }),
        );
        const found = (await usageTotals().read(accountId, [DECEMBER])).get(DECEMBER) ?? {};
        for (const name of ['expired', 'deleted', 'deletedActive', 'deletedExpired'] as const)
          assert.equal(found[name], BigInt(once[name]?.size ?? 0));
      }),
      { numRuns: 15 },
    );
  });
});
