import assert from 'node:assert/strict';
import { confidenceWords } from '../../../dashboard/src/format/audit.ts';
import {
  formatBytes,
  formatCount,
  formatGb,
  formatMilliseconds,
  formatMonth,
  formatPercent,
  formatUsd,
  formatUtc,
} from '../../../dashboard/src/format/values.ts';
import { errorDetail, wordsFromCode } from '../../../dashboard/src/format/words.ts';

/** Spaces that do not break a line, and what some versions of ICU write, are not what is tested. */
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ').replace('US$', '$');

describe('the numbers of the dashboard', () => {
  it('have cents from a cent on, and up to six digits below', () => {
    const cases = [
      [0, '$0.00'],
      [1234.567, '$1,234.57'],
      [0.01, '$0.01'],
      [0.009_999, '$0.009999'],
      [0.000_001, '$0.000001'],
      [-0.000_02, '-$0.00002'],
      [-3.456, '-$3.46'],
    ] as const;
    for (const [usd, expected] of cases) assert.equal(plain(formatUsd(usd)), expected);
  });

  it('have three significant digits of bytes, by powers of 1,000', () => {
    const cases = [
      [0, '0 B'],
      [999, '999 B'],
      [1000, '1 KB'],
      [1234, '1.23 KB'],
      [999_400, '999 KB'],
      [999_500, '1 MB'],
      [1_840_211_000, '1.84 GB'],
      [91_823_411_223_000, '91.8 TB'],
      [2 ** 53, '9.01 PB'],
      [12_345 * 1e15, '12,345 PB'],
    ] as const;
    for (const [bytes, expected] of cases) assert.equal(plain(formatBytes(bytes)), expected);
    assert.equal(plain(formatGb(0.000_000_005)), '5 B');
  });

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

  it('have four levels of confidence for the tenths from 0.1 to 0.9', () => {
    const levels = [0.1, 0.3, 0.5, 0.7, 0.9].map((confidence) => confidenceWords(confidence).level);
    assert.deepEqual(levels, ['Low', 'Low', 'Fair', 'Good', 'High']);
  });

  it('have thousands, percents and times', () => {
    assert.equal(formatCount(1_234_567), '1,234,567');
    assert.equal(formatPercent(0.256), '26%');
    assert.equal(formatMilliseconds(12.6), '13 ms');
    assert.equal(formatMilliseconds(2_449), '2.4 s');
    assert.equal(formatMonth('2026-11'), 'November 2026');
    assert.equal(formatUtc('2026-11-20T12:00:00.000Z'), '2026-11-20 12:00:00 UTC');
  });
});
