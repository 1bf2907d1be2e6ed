import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  compareStandings,
  findNoteworthy,
  isVerdictChanged,
  type Standing,
  type StandingRecommendation,
} from '../../../domain/scans/changes.ts';
import { roundUsd, toMicroUsd } from '../../../domain/pricing/money.ts';

const costs = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  fc.double({ min: 0, max: 1e5, noNaN: true }).map(roundUsd),
);

function standingOf(changes: Partial<Standing> = {}): Standing {
  return {
    scanId: 'scan',
    at: new Date('2026-11-20T12:00:00.000Z'),
    priceBook: '2026-11-22',
    verdict: 'migrate',
    currentMonthlyCostUsd: 100,
    monthlySavingsUsd: 50,
    buckets: new Map(),
    recommendations: [],
    ...changes,
  };
}

/** A move of a whole bucket. */
const move = (
  bucket: string,
  monthlySavingsUsd: number,
  changes: Partial<StandingRecommendation> = {},
): StandingRecommendation => ({
  recommendationId: `${bucket}-${monthlySavingsUsd}`,
  kind: 'move',
  bucket,
  selector: {
    prefix: null,
    storageClass: null,
    minAgeDays: null,
    maxAgeDays: null,
    minSizeBytes: null,
  },
  monthlySavingsUsd,
  recommendedProvider: 'b2',
  recommendedStorageClass: 'STANDARD',
  ...changes,
});

describe('the changes since the decision before', () => {
  it('have causes that add up to the change of the cost, to the micro-dollar', () => {
    const cents = fc.integer({ min: -3, max: 3 });
    fc.assert(
      fc.property(costs, costs, costs, costs, cents, (then, objects, reads, now, rounding) => {
        const sum = (of: Record<string, number>) =>
          Object.values(of).reduce((all, usd) => all + toMicroUsd(usd), 0);
        const [before, after] = [then, now].map((of) =>
          standingOf({
            buckets: new Map(Object.entries(of)),
            currentMonthlyCostUsd: Math.max(0, sum(of) + rounding) / 1e6,
          }),
        ) as [Standing, Standing];
        const steps = {
          objects: new Map(Object.entries(objects)),
          reads: new Map(Object.entries(reads)),
        };
        const { costChangeUsd, causes, buckets } = compareStandings(before, after, steps);
        const total = causes.reduce((all, { usd }) => all + toMicroUsd(usd), 0);
        assert.equal(total, toMicroUsd(costChangeUsd ?? assert.fail()));
        assert.equal(
          costChangeUsd,
          roundUsd(after.currentMonthlyCostUsd - before.currentMonthlyCostUsd),
        );
        for (const { name, costChangeUsd: usd } of buckets)
          assert.equal(usd, roundUsd((now[name] ?? 0) - (then[name] ?? 0)));
      }),
    );
  });

  it('take new and gone buckets first, then objects, reads and prices of the others', () => {
    const before = standingOf({
      currentMonthlyCostUsd: 14,
      buckets: new Map(Object.entries({ kept: 10, gone: 4 })),
      recommendations: [move('kept', 5), move('gone', 2)],
    });
    const after = standingOf({
      currentMonthlyCostUsd: 25,
      buckets: new Map(Object.entries({ kept: 22, new: 3 })),
      recommendations: [move('kept', 6), move('new', 1)],
    });
    const steps = { objects: new Map([['kept', 15]]), reads: new Map([['kept', 16]]) };
    const changes = compareStandings(before, after, steps);
    const causes = changes.causes.map(({ code, usd }) => `${code} ${usd}`);
    const wanted = ['new_bucket 3', 'gone_bucket -4', 'objects 5', 'reads 1', 'prices 6'];
    assert.deepEqual(causes, wanted);
    const buckets = changes.buckets.map(({ name, costChangeUsd }) => `${name} ${costChangeUsd}`);
    assert.deepEqual(buckets, ['kept 12', 'gone -4', 'new 3']);
    assert.deepEqual(changes.recommendations, {
      opened: ['new-1'],
      gone: ['gone-2'],
      better: ['kept-6'],
    });
  });
});

describe('people are told of a changed verdict', () => {
  const before = standingOf({ recommendations: [move('a', 50)] });
  const toR2 = move('a', 50, { recommendedProvider: 'r2' });
  const cases: Record<string, [Partial<Standing>, boolean]> = {
    'not of an equal one': [{}, false],
    'of another verdict': [{ verdict: 'stay' }, true],
    'of another target': [{ recommendations: [toR2] }, true],
    'of savings that moved by 20 % and 10 USD': [{ monthlySavingsUsd: 60 }, true],
    'not of less than 20 %': [{ monthlySavingsUsd: 59.9 }, false],
  };
  for (const [title, [changes, expected]] of Object.entries(cases))
    it(title, () => {
      const after = standingOf({ recommendations: before.recommendations, ...changes });
      assert.equal(isVerdictChanged(before, after), expected);
    });

  it('not of less than 10 USD, nor of a first decision', () => {
    const [little, more] = [1, 10.9].map((monthlySavingsUsd) => standingOf({ monthlySavingsUsd }));
    assert.ok(little && more);
    assert.equal(isVerdictChanged(little, more), false);
    assert.equal(isVerdictChanged(undefined, more), false);
  });

  it('and of the recommendations that are new, have another target, or other savings', () => {
    const others = [
      move('a', 59),
      move('b', 1),
      move('c', 90),
      move('d', 30, { recommendedProvider: 'aws' }),
    ];
    const earlier = [move('a', 50), move('c', 70), move('d', 30)];
    const told = findNoteworthy(
      standingOf({ recommendations: earlier }),
      standingOf({ recommendations: others }),
    );
    assert.deepEqual(told, ['b-1', 'c-90', 'd-30']);
    assert.equal(findNoteworthy(undefined, standingOf({ recommendations: others })).length, 4);
  });
});
