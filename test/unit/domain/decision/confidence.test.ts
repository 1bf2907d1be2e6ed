import assert from 'node:assert/strict';
import type { Group } from '../../../../domain/inventory/inventory.ts';
import { GIB, ask, askOf, brief, bucket, group, oldVersions } from './inventories.ts';

describe('confidence', () => {
  const rows: [what: string, groups: readonly Group[], region: string, confidence: number][] = [
    [
      'a change that heavy reads would send elsewhere',
      [group('a/', 'STANDARD', 3)],
      'us-east-1',
      0.7,
    ],
    [
      'staying where that is the cheapest unread only',
      [group('a/', 'STANDARD_IA', 1)],
      'us-east-1',
      0.5,
    ],
    [
      'the same with figures lent by another region',
      [group('a/', 'STANDARD_IA', 1)],
      'eu-west-2',
      0.3,
    ],
    [
      'a move that heavy reads would send elsewhere',
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
      'the same with requests lent by another region',
      [group('a/', 'STANDARD', 0)],
      'us-west-2',
      0.5,
    ],
    [
      'the same where what is lent asks for nothing',
      [group('a/', 'STANDARD', 0)],
      'eu-west-1',
      0.7,
    ],
    ['staying with what is archived', [group('a/', 'GLACIER', 3)], 'us-east-1', 0.9],
    [
      'staying in a class that other stores would be cheaper than if read',
      [group('a/', 'GLACIER_IR', 3)],
      'us-east-1',
      0.9,
    ],
    [
      'staying in the same class with figures lent',
      [group('a/', 'GLACIER_IR', 3)],
      'eu-west-2',
      0.7,
    ],
  ];
  for (const [what, groups, region, confidence] of rows) {
    it(`of ${what} is ${confidence}`, () => {
      assert.equal(ask([bucket(groups, { region })]).report.confidence, confidence);
    });
  }

  it('of a change that is the cheapest in all assumptions is 0.9', () => {
    const { report } = ask([bucket([group('a/', 'STANDARD', 3)])], { horizonMonths: 6 });
    assert.deepEqual([report.verdict, report.confidence], ['optimize_in_place', 0.9]);
  });

  it('of a clean-up is 0.9, less where the figure is lent', () => {
    const of = (region: string) =>
      ask([bucket([], { region, oldVersions: [oldVersions('STANDARD_IA', 1, GIB)] })]).report
        .confidence;
    assert.deepEqual([of('us-east-1'), of('eu-west-1'), of('eu-west-2')], [0.9, 0.9, 0.7]);
  });

  it('of what was joined is that of its least sure part', () => {
    const decision = askOf(group('a/', 'STANDARD', 0), group('b/', 'STANDARD', 1));
    assert.deepEqual(brief(decision), ['all to b2']);
    assert.equal(decision.recommendations[0]?.confidence, 0.7);
  });
});
