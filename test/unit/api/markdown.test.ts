import assert from 'node:assert/strict';
import { code, money, months, size, table, text } from '../../../api/present/markdown.ts';

describe('a page in Markdown', () => {
  it('keeps what customers named from being markup', () => {
    assert.equal(code('logs/'), '`logs/`');
    assert.equal(code('a`b'), '``a`b``');
    assert.equal(code('`'), '`` ` ``');
    assert.equal(code('a|b'), '`a\\|b`');
    assert.equal(code('tab\tnew\nline'), '`tab\\x9new\\xaline`');
    assert.equal(text('a | b <c> *d* [e](f)'), 'a \\| b \\<c\\> \\*d\\* \\[e\\](f)');
  });

  it('sets figures to the right', () => {
    assert.deepEqual(table(['what', '#figure'], [['a', '1']]), [
      '| what | figure |',
      '| --- | ---: |',
      '| a | 1 |',
    ]);
  });

  for (const [usd, shown] of [
    [0, '0.00 USD'],
    [0.000001, '0.000001 USD'],
    [0.5, '0.500000 USD'],
    [1, '1.00 USD'],
    [1234567.891, '1,234,567.89 USD'],
    [-2.5, '-2.50 USD'],
  ] as const) {
    it(`says ${usd} as ${shown}`, () => assert.equal(money(usd), shown));
  }

  for (const [bytes, shown] of [
    [0, '0 bytes'],
    [1023, '1,023 bytes'],
    [1024, '1 KiB'],
    [1536, '1.5 KiB'],
    [5 * 2 ** 30, '5 GiB'],
    [3 * 2 ** 60, '3,072 PiB'],
  ] as const) {
    it(`says ${bytes} bytes as ${shown}`, () => assert.equal(size(bytes), shown));
  }

  it('says that something never pays back', () => {
    assert.equal(months(null), 'never');
    assert.equal(months(5.8), '5.8 months');
  });
});
