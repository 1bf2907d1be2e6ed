import assert from 'node:assert/strict';
import {
  code,
  formatBytes,
  formatCount,
  formatDay,
  formatMonths,
  formatUsd,
  table,
  text,
} from '../../../domain/common/format.ts';

describe('format', () => {
  it('writes USD in cents, and below a cent to the micro-dollar', () => {
    for (const [usd, written] of [
      [0, '$0.00'],
      [0.000001, '$0.000001'],
      [0.009999, '$0.009999'],
      [0.01, '$0.01'],
      [0.5, '$0.50'],
      [999.999, '$1,000.00'],
      [1234567.891, '$1,234,567.89'],
      [-2.5, '-$2.50'],
      [-1234.5, '-$1,234.50'],
    ] as const)
      assert.equal(formatUsd(usd), written);
  });

  it('writes bytes by powers of 1,000', () => {
    for (const [bytes, written] of [
      [0, '0 bytes'],
      [999, '999 bytes'],
      [1000, '1 KB'],
      [1536, '1.54 KB'],
      [999_994, '999.99 KB'],
      [999_999, '1 MB'],
      [200 * 10 * 2 ** 20, '2.1 GB'],
      [5e9, '5 GB'],
      [3e18, '3,000 PB'],
    ] as const)
      assert.equal(formatBytes(bytes), written);
  });

  it('names a day in UTC', () => {
    assert.equal(formatDay(new Date('2027-01-12T00:00:00Z')), '12 January 2027');
    assert.equal(formatDay(new Date('2026-12-31T23:59:59.999Z')), '31 December 2026');
  });

  it('puts a noun in the plural unless its count is 1', () => {
    assert.equal(formatCount(0, 'object'), '0 objects');
    assert.equal(formatCount(1, 'object'), '1 object');
    assert.equal(formatCount(1_234_567, 'object'), '1,234,567 objects');
    assert.equal(formatMonths(1), '1 month');
    assert.equal(formatMonths(5.8), '5.8 months');
  });

  it('escapes markup in customers’ names for Markdown', () => {
    assert.equal(code('logs/'), '`logs/`');
    assert.equal(code('a`b'), '``a`b``');
    assert.equal(code('`'), '`` ` ``');
    assert.equal(code('a|b'), '`a\\|b`');
    assert.equal(code('tab\tnew\nline'), '`tab\\u{9}new\\u{a}line`');
    assert.equal(code('a\u2028b\u202Ec'), '`a\\u{2028}b\\u{202e}c`');
    assert.equal(code('a_\\|<b'), '<code>a&#95;&#92;&#124;&#60;b</code>');
    assert.equal(text('a | b <c> *d* [e](f)'), 'a \\| b \\<c\\> \\*d\\* \\[e\\](f)');
  });

  it('aligns numbers to the right in a Markdown table', () => {
    assert.deepEqual(table(['what', '#number'], [['a', '1']]), [
      '| what | number |',
      '| --- | ---: |',
      '| a | 1 |',
    ]);
  });
});
