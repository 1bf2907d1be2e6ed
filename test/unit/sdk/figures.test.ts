import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import * as figures from '../../../sdk/src/index.ts';

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
      assert.equal(figures.formatMoney(usd), written);
  });

  it('add up to the total beside them, none off by a cent or more', () => {
    for (const [total, ...rows] of [
      [3.012, 1.004, 1.004, 1.004],
      [0.012, 0.004, 0.004, 0.004],
      [0.995, -1.006, 2.001],
      [0],
    ] as const) {
      const rounded = figures.roundRows(rows, total);
      const sum = rounded.reduce((all, one) => all + one, 0);
      assert.equal(figures.formatCents(sum), figures.formatMoney(total), rows.join());
      for (const [at, usd] of rows.entries())
        assert.ok(Math.abs((rounded[at] ?? 0) - usd * 100) < 1, `${usd} as ${rounded[at]}`);
    }
    assert.deepEqual(figures.roundRows([1.004, 1.004, 1.004], 3.012), [101, 100, 100]);
    assert.deepEqual(
      figures.roundRows([1.005, 2.005], 3.01),
      [100, 201],
      'ties go to the larger figure',
    );
    assert.equal(figures.formatRow(0.004, 0), '<$0.01');
    assert.equal(figures.formatRow(0, 0), '$0.00');
  });

  it('say when a cost is paid back by one rule', () => {
    const [atOnce, never] = ['paid back at once', 'not paid back within 5 years'];
    for (const [months, text, sentence] of [
      [0, 'at once', atOnce],
      [1, 'within a month', 'paid back within a month'],
      [5.8, '5.8 months', 'paid back after 5.8 months'],
      [9.95, '10 months', 'paid back after 10 months'],
      [13.2, '14 months', 'paid back after 14 months'],
      [60, '60 months', 'paid back after 60 months'],
      [60.1, 'not within 5 years', never],
      [null, 'not within 5 years', never],
    ] as const) {
      assert.equal(figures.formatPayback(months), text);
      assert.equal(figures.describePayback(months), sentence);
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
      assert.equal(figures.formatBytes(bytes), written);
    const counts = [1, 1_234_567].map((count) => figures.formatCount(count, 'object'));
    assert.deepEqual(counts, ['1 object', '1,234,567 objects']);
    assert.deepEqual([0.256, 0.004, 0].map(figures.formatPercent), ['26 %', '<1 %', '0 %']);
    assert.deepEqual([0.1, 0.5, 0.7, 0.9].map(figures.confidenceLevel), [
      'Low',
      'Fair',
      'Good',
      'High',
    ]);
  });

  it('say the verdict as a person would', () => {
    for (const [said, ...steps] of [
      ['Stay: nothing here is worth changing'],
      ['Save 57 % by moving to B2', 'move 57 b2'],
      [
        'Save 57 %: mostly by changing storage classes',
        'move 20 b2',
        'change_class 18 aws',
        'change_class 19 aws',
      ],
    ] as const) {
      const recommendations = steps.map((step) => {
        const [kind, saved, recommendedProvider = null] = step.split(' ');
        return {
          kind: kind as figures.RecommendationKind,
          monthlySavingsUsd: Number(saved),
          recommendedProvider,
        };
      });
      const providerTitle = (provider: string) => provider.toUpperCase();
      const costs = { currentMonthlyUsd: 100, monthlySavingsUsd: 57 };
      assert.equal(figures.auditHeadline({ ...costs, recommendations, providerTitle }), said);
    }
  });

  it('are cells of CSV that no spreadsheet takes for a formula', () => {
    const rows = [
      ['=1+1', 'a "b", c', null],
      ['-x', -1.5, true],
      ['line\nbreak', '', '+'],
    ];
    const csv = `"'=1+1","a ""b"", c",\r\n"'-x",-1.5,true\r\n"line\nbreak",,"'+"\r\n`;
    assert.equal(figures.formatCsv(rows), csv);
    assert.equal(figures.formatCsv([['a;b', 'a\tb', '\t']]), `"a;b","a\tb","'\t"\r\n`);
  });

  it('are cells of CSV, whichever separator a spreadsheet guesses', () => {
    const text = fc.string({
      unit: fc.constantFrom(...'=+-@"\';,\t\r\n a1'.split('')),
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.array(fc.array(text, { minLength: 1, maxLength: 4 })), (rows) => {
        const csv = figures.formatCsv(rows);
        for (const separators of [',', ';', '\t', ',;\t'])
          for (const cell of cellsOf(csv, separators))
            assert.doesNotMatch(cell, /^\s*[=+\-@]/, JSON.stringify([csv, separators]));
      }),
    );
  });
});

/** The cells as a spreadsheet reads them by these separators: a quotation mark counts at the begin of a cell alone. */
function cellsOf(csv: string, separators: string): string[] {
  const cells: string[] = [];
  let [cell, isBegun, isQuoted] = ['', false, false];
  for (let at = 0; at < csv.length; at += 1) {
    const character = csv.charAt(at);
    if (isQuoted && character === '"' && csv[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (character === '"' && (isQuoted || !isBegun)) {
      [isQuoted, isBegun] = [!isQuoted, true];
    } else if (!isQuoted && `${separators}\r\n`.includes(character)) {
      cells.push(cell);
      [cell, isBegun] = ['', false];
    } else {
      [cell, isBegun] = [cell + character, true];
    }
  }
  return [...cells, cell];
}
