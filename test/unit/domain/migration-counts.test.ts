import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  addCounts,
  COUNT_NAMES,
  countLine,
  NO_COUNTS,
  notCarriedCounts,
  settledObjects,
  subtractCounts,
  type MigrationCounts,
} from '../../../domain/migration/counts.ts';
import type { LedgerLine } from '../../../domain/migration/object-ledger.ts';

const line = (fields: Partial<LedgerLine>): LedgerLine => ({
  key: 'a',
  targetKey: 'bucket/a',
  bytes: 10,
  sourceEtag: 'e',
  sha256: null,
  targetEtag: null,
  outcome: 'copied',
  attempts: 1,
  at: '2026-11-20T12:00:00.000Z',
  notCarried: [],
  ...fields,
});
const anyCounts: fc.Arbitrary<MigrationCounts> = fc.record(
  Object.fromEntries(COUNT_NAMES.map((name) => [name, fc.nat({ max: 2 ** 40 })])) as {
    [Name in keyof MigrationCounts]: fc.Arbitrary<number>;
  },
  { noNullPrototype: true },
);

describe('the counts of a migration', () => {
  for (const [what, fields, counts] of [
    [
      'a copied object with its bytes',
      { notCarried: ['tags'] },
      { copied: 1, tags: 1, tried: 1, bytesCopied: 10, bytesMigrated: 10, bytesSettled: 10 },
    ],
    [
      'a failed object without copied bytes',
      { outcome: 'failed', code: 'target_refused' },
      { failed: 1, tried: 1, triedAndFailed: 1, bytesSettled: 10 },
    ],
    [
      'an object that was blocked before any attempt as not tried',
      { outcome: 'failed', attempts: 0 },
      { failed: 1, bytesSettled: 10 },
    ],
  ] satisfies [string, Partial<LedgerLine>, Partial<MigrationCounts>][]) {
    it(`counts ${what}`, () => {
      assert.deepEqual(countLine(line(fields)), { ...NO_COUNTS, ...counts });
    });
  }

  it('subtracts what was added', () => {
    fc.assert(
      fc.property(anyCounts, anyCounts, (a, b) =>
        assert.deepEqual(subtractCounts(addCounts(a, b), b), a),
      ),
    );
  });

  it('sums the outcomes, and lists what a copy does not preserve', () => {
    const counts = [
      line({}),
      line({ outcome: 'skipped' }),
      line({ outcome: 'failed', notCarried: ['lock'] }),
    ]
      .map(countLine)
      .reduce(addCounts);
    assert.equal(settledObjects(counts), 3);
    assert.deepEqual(notCarriedCounts(counts), [{ what: 'lock', objects: 1 }]);
  });
});
