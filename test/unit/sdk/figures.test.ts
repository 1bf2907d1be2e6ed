import assert from 'node:assert/strict';
import {
  auditHeadline,
  confidenceLevel,
  describePayback,
  formatBytes,
  formatCents,
  formatCount,
  formatCsv,
  formatMoney,
  formatPayback,
  formatPercent,
  formatRow,
  roundRows,
} from '../../../sdk/src/index.ts';

describe('figures for people', () => {
  it('are dollars and cents from a cent on, and never a zero that is none', () => {
    for (const [usd, written] of [
      [0, '$0.00'],
      [0.000001, '<$0.01'],
      [0.009999, '<$0.01'],
      [-0.00002, '-<$0.01'],
      [0.01, '$0.01'],
      [0.015, '$0.02'],
      [999.999, '$1,000.00'],
      [1234567.891, '$1,234,567.89'],
      [-2.5, '-$2.50'],
    ] as const)
      assert.equal(formatMoney(usd), written);
  });

  it('add up to the total beside them, none off by a cent or more', () => {
    const cases = [
      { rows: [1.004, 1.004, 1.004], total: 3.012 },
      { rows: [0.004, 0.004, 0.004], total: 0.012 },
      { rows: [-1.006, 2.001], total: 0.995 },
      { rows: [], total: 0 },
    ];
    for (const { rows, total } of cases) {
      const rounded = roundRows(rows, total);
      const sum = rounded.reduce((all, one) => all + one, 0);
      assert.equal(formatCents(sum), formatMoney(total), rows.join());
      for (const [at, usd] of rows.entries())
        assert.ok(Math.abs((rounded[at] ?? 0) - usd * 100) < 1, `${usd} as ${rounded[at]}`);
    }
    assert.deepEqual(roundRows([1.004, 1.004, 1.004], 3.012), [101, 100, 100]);
    assert.deepEqual(roundRows([1.005, 2.005], 3.01), [100, 201], 'ties go to the larger figure');
    assert.equal(formatRow(0.004, 0), '<$0.01');
    assert.equal(formatRow(0, 0), '$0.00');
  });

  it('say when a cost is paid back by one rule', () => {
    for (const [months, text, sentence] of [
      [0, 'at once', 'paid back at once'],
      [0.1, 'within a month', 'paid back within a month'],
      [1, 'within a month', 'paid back within a month'],
      [5.8, '5.8 months', 'paid back after 5.8 months'],
      [9.95, '10 months', 'paid back after 10 months'],
      [13.2, '14 months', 'paid back after 14 months'],
      [60, '60 months', 'paid back after 60 months'],
      [60.1, 'not within 5 years', 'not paid back within 5 years'],
      [null, 'not within 5 years', 'not paid back within 5 years'],
    ] as const) {
      assert.equal(formatPayback(months), text);
      assert.equal(describePayback(months), sentence);
    }
  });

  it('have three significant digits of bytes by powers of 1,000, thousands and percents', () => {
    for (const [bytes, written] of [
      [0, '0 bytes'],
      [1, '1 byte'],
      [999, '999 bytes'],
      [1234, '1.23 KB'],
      [999_400, '999 KB'],
      [999_500, '1 MB'],
      [91_823_411_223_000, '91.8 TB'],
      [12_345 * 1e15, '12,345 PB'],
    ] as const)
      assert.equal(formatBytes(bytes), written);
    assert.deepEqual(
      [formatCount(1, 'object'), formatCount(1_234_567, 'object')],
      ['1 object', '1,234,567 objects'],
    );
    assert.deepEqual([0.256, 0.004, 0].map(formatPercent), ['26 %', '<1 %', '0 %']);
    assert.deepEqual([0.1, 0.5, 0.7, 0.9].map(confidenceLevel), ['Low', 'Fair', 'Good', 'High']);
  });

  it('say the verdict as a person would', () => {
    const one = (kind: string, monthlySavingsUsd: number, recommendedProvider: string | null) => ({
      kind,
      monthlySavingsUsd,
      recommendedProvider,
    });
    const headline = (...recommendations: ReturnType<typeof one>[]) =>
      auditHeadline({
        currentMonthlyUsd: 100,
        monthlySavingsUsd: 57,
        recommendations,
        providerTitle: (provider) => provider.toUpperCase(),
      });
    assert.equal(headline(), 'Stay: nothing here is worth changing');
    assert.equal(headline(one('move', 57, 'b2')), 'Save 57 % by moving to B2');
    assert.equal(
      headline(
        one('move', 20, 'b2'),
        one('change_class', 18, 'aws'),
        one('change_class', 19, 'aws'),
      ),
      'Save 57 %: mostly by changing storage classes',
    );
  });

  it('are cells of CSV that no spreadsheet takes for a formula', () => {
    assert.equal(
      formatCsv([
        ['=1+1', 'a "b", c', null],
        ['-x', -1.5, true],
        ['line\nbreak', '', '+'],
      ]),
      `'=1+1,"a ""b"", c",\r\n'-x,-1.5,true\r\n"line\nbreak",,'+\r\n`,
    );
  });
});
