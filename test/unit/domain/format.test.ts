import assert from 'node:assert/strict';
import { code, formatDay, table, text } from '../../../domain/common/format.ts';

describe('format', () => {
  it('names a day in UTC', () => {
    assert.equal(formatDay(new Date('2027-01-12T00:00:00Z')), '12 January 2027');
    assert.equal(formatDay(new Date('2026-12-31T23:59:59.999Z')), '31 December 2026');
  });

  it('escapes markup in customers’ names for Markdown', () => {
    for (const [name, shown] of [
      ['logs/', '`logs/`'],
      ['a`b', '``a`b``'],
      ['`', '`` ` ``'],
      ['a|b', '`a\\|b`'],
      ['tab\tnew\nline\u2028\u202E', '`tab\\u{9}new\\u{a}line\\u{2028}\\u{202e}`'],
      ['a_\\|<b', '<code>a&#95;&#92;&#124;&#60;b</code>'],
    ] as const)
      assert.equal(code(name), shown);
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
