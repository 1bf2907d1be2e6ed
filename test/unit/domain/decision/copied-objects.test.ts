import assert from 'node:assert/strict';
import { storageAtScanRates } from '../../../../domain/decision/quote.ts';
import type { Group } from '../../../../domain/inventory/inventory.ts';
import { priceBook } from '../../price-book.ts';
import { decideOn, decideGroups, brief, bucket, findingOf, group } from './inventories.ts';

const YOUNG = group('a/', 'STANDARD', 0);
const OTHER = group('b/', 'STANDARD', 0);
const OLD = group('b/', 'STANDARD', 2);

/** A part of a group. */
const some = ({ prefix, storageClass, ageBand }: Group, objects = 100) =>
  group(prefix, storageClass, ageBand, objects);

const decideWithCopied = (copied: readonly Group[], ...groups: readonly Group[]) =>
  decideOn([bucket(groups, { copied })]);

describe('a prefix with objects that a migration has copied', () => {
  const rows = [
    ['takes no move', [some(YOUNG)], [YOUNG], []],
    ['takes no change of class', [some(OLD)], [OLD], []],
    ['excludes a move of the whole bucket', [some(YOUNG)], [YOUNG, OTHER], ['b/ to b2']],
    [
      'excludes it with archived objects alone',
      [some(group('a/', 'GLACIER', 0))],
      [group('a/', 'GLACIER', 0), OTHER],
      ['b/ to b2'],
    ],
    [
      'excludes it where the listing lacks the prefix',
      [group('*', 'STANDARD', 0, 1)],
      [YOUNG, OTHER],
      ['a/ to b2', 'b/ to b2'],
    ],
    [
      'excludes a change of the whole bucket in bands where it has objects of that class',
      [some(group('a/', 'STANDARD', 3))],
      [OLD, group('b/', 'STANDARD', 3), group('a/', 'STANDARD', 3)],
      ['b/ STANDARD 365- to GLACIER_IR', 'all STANDARD 90-365 to GLACIER_IR'],
    ],
    [
      'excludes an answer of the rest without a prefix',
      [some(YOUNG)],
      [YOUNG, group('*', 'STANDARD', 0)],
      [],
    ],
    [
      'may be the rest of the prefixes',
      [some(group('*', 'STANDARD', 0))],
      [YOUNG, group('*', 'STANDARD', 0)],
      ['a/ to b2'],
    ],
  ] as const;
  for (const [what, copied, groups, recommended] of rows) {
    it(what, () => assert.deepEqual(brief(decideWithCopied(copied, ...groups)), recommended));
  }

  it('has the same cost with and without copied objects', () => {
    const [before, after] = [decideGroups(YOUNG, OLD), decideWithCopied([YOUNG], YOUNG, OLD)];
    assert.equal(after.currentMonthlyCostUsd, before.currentMonthlyCostUsd);
    assert.deepEqual(after.report.exitScenario, before.report.exitScenario);
    assert.deepEqual(
      after.report.readScenarios.map(({ stayMonthlyUsd }) => stayMonthlyUsd),
      before.report.readScenarios.map(({ stayMonthlyUsd }) => stayMonthlyUsd),
    );
  });

  it('does not lower the confidence of staying', () => {
    assert.equal(decideWithCopied([YOUNG], YOUNG).report.confidence, 0.9);
    assert.equal(decideWithCopied([YOUNG], YOUNG).report.verdict, 'stay');
  });

  it('still has its clean-ups', () => {
    const incompleteUploads = { uploads: 1, bytes: 1e12, oldestAt: null };
    const decision = decideOn([bucket([YOUNG], { copied: [YOUNG], incompleteUploads })]);
    assert.deepEqual(brief(decision), ['abort_multipart_uploads']);
  });

  it('is a finding of its bucket, in the order of the findings', () => {
    const groups = [YOUNG, group('*', 'STANDARD', 0)];
    const decision = decideWithCopied([some(YOUNG), some(OLD)], ...groups);
    const found = findingOf(decision, 'copied_not_yet_saved');
    assert.deepEqual([found?.objects, found?.bytes], [200, 200 * 10 * 2 ** 20]);
    assert.equal(found?.monthlyCostUsd, 0.044922);
    assert.equal(
      found?.message,
      'Copied already and still at the source: 200 objects (2.1 GB), for $0.04 a month. It may be deleted there once the migration report has been checked.',
    );
    assert.deepEqual(
      decision.buckets[0]?.findings.map(({ code }) => code),
      ['copied_not_yet_saved', 'no_selector'],
    );
    assert.ok(decision.report.reasons.some((reason) => reason.includes('is copied already;')));
  });

  it('is no finding of a bucket in error', () => {
    const error = { code: 'access_denied', message: 'no' };
    const decision = decideOn([bucket([YOUNG], { copied: [YOUNG], error })]);
    assert.deepEqual(decision.buckets[0]?.findings, []);
  });
});

describe('storageAtScanRates', () => {
  it('prices objects at the blended rates of the scan', () => {
    const large = group('a/', 'STANDARD', 0, 1000, 100 * 2 ** 30);
    const buckets = [bucket([large])];
    const half = group('a/', 'STANDARD', 0, 500, 100 * 2 ** 30);
    const [all, part, nothing] = storageAtScanRates({ buckets, priceBook, source: 'aws' }, [
      { region: 'us-east-1', groups: [large] },
      { region: 'us-east-1', groups: [half] },
      { region: 'us-east-1', groups: [] },
    ]);
    // 50 TB at 0.023, the rest at 0.022.
    assert.equal(all, 51_200 * 0.023 + 48_800 * 0.022);
    assert.equal(part, (all ?? 0) / 2);
    assert.equal(nothing, 0);
  });

  it('prices a class in which the listing found nothing', () => {
    const buckets = [bucket([YOUNG], { copied: [group('a/', 'STANDARD_IA', 1)] })];
    const held = [{ region: 'us-east-1', groups: [group('a/', 'STANDARD_IA', 1)] }];
    assert.deepEqual(storageAtScanRates({ buckets, priceBook, source: 'aws' }, held), [1.220703]);
  });
});
