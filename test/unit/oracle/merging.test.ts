import assert from 'node:assert/strict';
import type { ExpectedScan } from '../../oracle/expected.ts';
import { inventoryOf } from '../../oracle/inventory.ts';
import { agreed, agreedOn, bucketOf, listingOf, MIB, objects } from './listings.ts';

describe('the merging of answers', () => {
  const selectorsOf = ({ recommendations }: ExpectedScan): string[] =>
    recommendations
      .map(({ selector: { prefix, minAgeDays, maxAgeDays } }) =>
        [prefix ?? 'the whole', minAgeDays ?? 0, maxAgeDays ?? 'end'].join(' '),
      )
      .sort();

  const [a30, a365] = [objects('a/x', 30), objects('a/x', 365)];
  const withGap = [a30, objects('a/x', 90, 'GLACIER_IR'), a365, objects('b/x', 1)];

  it('merges a change over a band without objects of that class', () => {
    const expected = agreedOn(withGap, { region: 'sa-east-1' });
    assert.deepEqual(selectorsOf(expected), ['b/ 0 end', 'the whole 30 end']);
    const change = expected.recommendations.find(({ kind }) => kind === 'change_class');
    // The young half is the cheapest without reads only, at prices of another region.
    assert.deepEqual(
      [change?.recommendedStorageClass, change?.objects, change?.confidence],
      ['GLACIER_IR', 20_000, 0.3],
    );
  });

  const small = { size: 1, times: 1 };
  const smallIn = (key: string, days: number) => objects(key, days, 'STANDARD', small);
  for (const [what, held, region, selectors] of [
    [
      'merges the bands of a prefix',
      [...withGap, smallIn('c/x', 365), smallIn('c/x', 30)],
      'sa-east-1',
      ['a/ 30 end', 'b/ 0 end'],
    ],
    [
      'never merges a prefix with the whole bucket',
      [...withGap, smallIn('c/x', 30)],
      'sa-east-1',
      ['a/ 30 90', 'b/ 0 end', 'the whole 365 end'],
    ],
    [
      'does not merge over a band with only small objects',
      [a30, smallIn('a/x', 90), a365],
      'sa-east-1',
      ['the whole 30 90', 'the whole 365 end'],
    ],
    [
      'does not merge prefixes where one has only small objects',
      [objects('a/x', 90), smallIn('b/x', 90)],
      'us-east-1',
      ['a/ 90 365'],
    ],
  ] as const) {
    it(what, () => {
      assert.deepEqual(selectorsOf(agreedOn(held, { region })), selectors);
    });
  }

  it('has no selector for a move of the rest alone', () => {
    const { buckets, recommendations } = agreedOn([objects('x', 1), objects('b/x', 400)]);
    assert.deepEqual(buckets[0]?.findings, [
      { code: 'no_selector', objects: 10_000, bytes: 100_000 * MIB, monthlyCostUsd: 1.517333 },
    ]);
    assert.deepEqual(
      recommendations.map(({ kind, selector }) => [kind, selector.prefix, selector.minAgeDays]),
      [['change_class', null, 365]],
    );
  });

  it('has no selector for a change of the rest alone beside a prefix that moves', () => {
    const few = objects('b/x', 90, 'STANDARD', { times: 10 });
    const { buckets, recommendations } = agreedOn([objects('x', 90), objects('b/x', 1), few]);
    assert.deepEqual(
      recommendations.map(({ kind, selector }) => [kind, selector.prefix]),
      [['move', 'b/']],
    );
    assert.deepEqual(buckets[0]?.findings, [
      { code: 'no_selector', objects: 10_000, bytes: 100_000 * MIB, monthlyCostUsd: 1.764698 },
    ]);
  });

  it('keeps the 50 largest prefixes, ties by their UTF-8 bytes', () => {
    const names = Array.from({ length: 49 }, (_, index) => `p${index}/`);
    const equal = [...names, '\u{1F4BE}/', '\uFFFD/', ''].map((name) => objects(`${name}x`, 400));
    const [inventory] = inventoryOf(listingOf([bucketOf(equal)]));
    const found = new Map(inventory?.groups.map(({ prefix, objects }) => [prefix, objects]));
    const [rest, before, behind] = ['*', '\uFFFD/', '\u{1F4BE}/'].map((name) => found.get(name));
    assert.deepEqual([rest, before, behind], [20_000, 10_000, undefined]);
  });

  it('sums the recommendations after the first 200', () => {
    const moving = Array.from({ length: 45 }, (_, index) => objects(`p${index}/x`, 1));
    const held = [...moving, objects('z/x', 400)];
    const buckets = ['a', 'b', 'c', 'd', 'e'].map((name) => bucketOf(held, { name }));
    const { summary, recommendations } = agreed(listingOf(buckets));
    assert.equal(recommendations.length, 200);
    const [code, monthlyCostUsd, bytes] = ['more_recommendations', 45.520003, 3_000_000 * MIB];
    assert.deepEqual(summary.findings, [{ code, objects: 300_000, bytes, monthlyCostUsd }]);
  });
});
