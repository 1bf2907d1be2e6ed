import assert from 'node:assert/strict';
import * as counts from '../../../../domain/migrations/counts.ts';
import type { LedgerLine } from '../../../../domain/migrations/object-ledger.ts';

/** How counts add up over processes is held by test/integration/adapters/manifest-counts.test.ts. */
describe('the counts of a migration', () => {
  const countOf = (fields: Partial<LedgerLine>) =>
    counts.countLine({
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
  const copied = { copied: 1, tried: 1, bytesCopied: 10, bytesMigrated: 10, bytesSettled: 10 };
  const failed = { failed: 1, bytesSettled: 10 };

  for (const [what, fields, counted] of [
    ['a copied object with its bytes', { notCarried: ['tags'] }, { ...copied, tags: 1 }],
    ['a failed object without', { outcome: 'failed' }, { ...failed, tried: 1, triedAndFailed: 1 }],
    ['one that was blocked as not tried', { outcome: 'failed', attempts: 0 }, failed],
  ] satisfies [string, Partial<LedgerLine>, Partial<counts.MigrationCounts>][])
    it(`count ${what}`, () =>
      assert.deepEqual(countOf(fields), { ...counts.NO_COUNTS, ...counted }));

  it('are summed by outcome and subtracted again, and list what a copy does not preserve', () => {
    const skipped = countOf({ outcome: 'skipped' });
    const locked = countOf({ outcome: 'failed', notCarried: ['lock'] });
    const sum = [countOf({}), skipped, locked].reduce(counts.addCounts);
    assert.equal(counts.settledObjects(sum), 3);
    assert.deepEqual(counts.notCarriedCounts(sum), [{ what: 'lock', objects: 1 }]);
    const rest = counts.subtractCounts(counts.subtractCounts(sum, locked), skipped);
    assert.deepEqual(rest, countOf({}));
  });
});
