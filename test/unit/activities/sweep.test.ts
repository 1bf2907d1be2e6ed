import assert from 'node:assert/strict';
import { sweepDue, takeFirst, takeTurn, type Sweep } from '../../../activities/common/sweep.ts';

const NOW = new Date('2026-11-28T12:00:00.000Z');

interface Work {
  readonly accountId: string;
  readonly dueAt: number;
}

describe('a sweep', () => {
  /** Work of several accounts, as a database orders it, the sweep over it, and what it did. */
  function sweepOf(counts: Readonly<Record<string, number>>) {
    const open = Object.entries(counts).flatMap(([accountId, count], account) =>
      Array.from({ length: count }, (_, at): Work => ({ accountId, dueAt: at * 10 + account })),
    );
    const done: string[] = [];
    let queries = 0;
    const answer = <T>(value: T): Promise<T> => {
      queries += 1;
      return Promise.resolve(value);
    };
    const byTime = (a: Work, b: Work) => a.dueAt - b.dueAt;
    const due: Sweep<Work, 'done'>['due'] = {
      some: (_before, limit) => answer(open.toSorted(byTime).slice(0, limit)),
      of: (accountId, _before, limit) =>
        answer(
          open
            .filter((work) => work.accountId === accountId)
            .toSorted(byTime)
            .slice(0, limit),
        ),
      nextAccount: (after) =>
        answer(
          open
            .map(({ accountId }) => accountId)
            .toSorted()
            .find((accountId) => accountId > after),
        ),
    };
    const sweep: Sweep<Work, 'done'> = {
      now: () => NOW,
      outcomes: ['done'],
      due,
      concurrency: 1,
      continueWork(work) {
        open.splice(open.indexOf(work), 1);
        done.push(work.accountId);
        return Promise.resolve('done');
      },
      progress: { report: () => {}, requireAlive: () => {} },
    };
    const countOf = (accountId: string) => done.filter((each) => each === accountId).length;
    return { sweep, done, countOf, queries: () => queries };
  }

  it('takes a portion of an account and all of the others in one turn, one of each after the other', async () => {
    const { sweep, done, countOf } = sweepOf({ big: 2_000, last: 1, little: 3 });
    const { swept, hasMore } = await takeTurn(sweep);
    assert.deepEqual([countOf('big'), countOf('last'), countOf('little')], [100, 1, 3]);
    assert.deepEqual([swept.done, hasMore], [104, true]);
    assert.ok(done.indexOf('little') < 200);
  });

  it('takes all that is due in turns, with one query where that is little', async () => {
    const much = sweepOf({ big: 1_234, other: 700, small: 7 });
    assert.deepEqual(await sweepDue(much.sweep), { done: 1_941 });
    const little = sweepOf({ a: 2, b: 1 });
    assert.deepEqual(await sweepDue(little.sweep), { done: 3 });
    assert.deepEqual(little.done, ['a', 'b', 'a']);
    assert.equal(little.queries(), 1);
  });

  it('finds every account, also where a page ends within one', async () => {
    const counts = Object.fromEntries(
      Array.from({ length: 90 }, (_, at) => [`account-${at}`, 1 + ((at * 7) % 23)]),
    );
    const { sweep, countOf } = sweepOf(counts);
    const { hasMore } = await takeTurn(sweep);
    assert.equal(hasMore, false);
    for (const [accountId, count] of Object.entries(counts))
      assert.equal(countOf(accountId), count, accountId);
  });

  it('leaves an account alone whose portion is used up, and does not ask for more at once', async () => {
    const { sweep, countOf } = sweepOf({ full: 900, free: 20 });
    const portions: Readonly<Record<string, number>> = { full: 0, free: 8 };
    const choose = (accountId: string, works: readonly Work[]) =>
      Promise.resolve(takeFirst(works, portions[accountId] ?? 0));
    assert.equal((await takeTurn({ ...sweep, choose })).hasMore, true);
    assert.deepEqual([countOf('full'), countOf('free')], [0, 8]);
    const chooseNone: Sweep<Work, 'done'>['choose'] = (_accountId, works) =>
      Promise.resolve(takeFirst(works, 0));
    assert.equal((await takeTurn({ ...sweep, choose: chooseNone })).hasMore, false);
  });

  it('ends after a minute, however much is due', async () => {
    const { sweep } = sweepOf({ big: 100_000 });
    let calls = 0;
    const now = () => new Date(NOW.getTime() + 7_000 * calls++);
    const { done } = await sweepDue({ ...sweep, now });
    assert.ok(done >= 100 && done <= 1_000, String(done));
  });

  it('begins with nothing more once its attempt is taken for dead', async () => {
    const { sweep, done } = sweepOf({ a: 5 });
    const requireAlive = () => {
      if (done.length === 2) throw new Error('dead');
    };
    const progress = { ...sweep.progress, requireAlive };
    await assert.rejects(takeTurn({ ...sweep, progress }), /dead/);
    assert.equal(done.length, 2);
  });
});
