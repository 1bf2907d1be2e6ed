import assert from 'node:assert/strict';
import type { Group } from '../../../../domain/inventory/inventory.ts';
import { GIB, decideOn, decideGroups, brief, bucket, group, oldVersions } from './inventories.ts';

describe('confidence', () => {
  const rows: [what: string, groups: readonly Group[], region: string, confidence: number][] = [
    [
      'a change where heavy reads favour another placement',
      [group('a/', 'STANDARD', 3)],
      'us-east-1',
      0.7,
    ],
    [
      'staying where that is the cheapest only without reads',
      [group('a/', 'STANDARD_IA', 1)],
      'us-east-1',
      0.5,
    ],
    ['the same with figures of another region', [group('a/', 'STANDARD_IA', 1)], 'eu-west-2', 0.3],
    [
      'a move where heavy reads favour another placement',
      [group('a/', 'STANDARD', 0)],
      'us-east-1',
      0.7,
    ],
    [
      'the same with a storage rate of medium confidence',
      [group('a/', 'STANDARD', 0)],
      'eu-central-1',
      0.5,
    ],
    [
      'the same with request prices of another region',
      [group('a/', 'STANDARD', 0)],
      'us-west-2',
      0.5,
    ],
    [
      'the same where the figures of another region are zero',
      [group('a/', 'STANDARD', 0)],
      'eu-west-1',
      0.7,
    ],
    ['staying with archived objects', [group('a/', 'GLACIER', 3)], 'us-east-1', 0.9],
    [
      'staying in a class that reads make more expensive',
      [group('a/', 'GLACIER_IR', 3)],
      'us-east-1',
      0.9,
    ],
    [
      'the same with figures of another region for another class',
      [group('a/', 'GLACIER_IR', 3)],
      'eu-west-2',
      0.7,
    ],
  ];
  for (const [what, groups, region, confidence] of rows) {
    it(`is ${confidence} for ${what}`, () => {
      assert.equal(decideOn([bucket(groups, { region })]).report.confidence, confidence);
    });
  }

  it('is 0.9 for a change that is the cheapest in all scenarios', () => {
    const { report } = decideOn([bucket([group('a/', 'STANDARD', 3)])], { horizonMonths: 6 });
    assert.deepEqual([report.verdict, report.confidence], ['optimize_in_place', 0.9]);
  });

  it('is 0.9 for a clean-up, less with figures of another region', () => {
    const of = (region: string) =>
      decideOn([bucket([], { region, oldVersions: [oldVersions('STANDARD_IA', 1, GIB)] })]).report
        .confidence;
    assert.deepEqual([of('us-east-1'), of('eu-west-1'), of('eu-west-2')], [0.9, 0.9, 0.7]);
  });

  it('is the lowest of the merged parts', () => {
    const decision = decideGroups(group('a/', 'STANDARD', 0), group('b/', 'STANDARD', 1));
    assert.deepEqual(brief(decision), ['all to b2']);
    assert.equal(decision.recommendations[0]?.confidence, 0.7);
  });
});
