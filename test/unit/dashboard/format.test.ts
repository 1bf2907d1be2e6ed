import assert from 'node:assert/strict';
import {
  formatGb,
  formatMilliseconds,
  formatMonth,
  formatUtc,
} from '../../../dashboard/src/format/values.ts';
import { errorDetail, wordsFromCode } from '../../../dashboard/src/format/words.ts';

describe('the words of the dashboard', () => {
  it('leave the call out of what an error says', () => {
    const told = 'There is no such migration.';
    const call = 'GET /v1/scanner/migration/{migrationId}';
    assert.equal(errorDetail(new Error(`${call} 404: ${told}`)), told);
    assert.equal(errorDetail(new Error(`${call}: no connection`)), 'no connection');
    assert.equal(errorDetail(new Error(told)), told);
    assert.equal(errorDetail('cut'), 'cut');
  });

  it('make words of a code, one of a newer service too', () => {
    assert.equal(wordsFromCode('completed_with_failures'), 'Completed with failures');
    assert.equal(wordsFromCode('hot'), 'Hot');
  });

  it('have times and gigabytes', () => {
    assert.equal(formatGb(0.000_000_005), '5 bytes');
    assert.equal(formatMilliseconds(12.6), '13 ms');
    assert.equal(formatMilliseconds(2_449), '2.4 s');
    assert.equal(formatMonth('2026-11'), 'November 2026');
    assert.equal(formatUtc('2026-11-20T12:00:00.000Z'), '2026-11-20 12:00:00 UTC');
  });
});
