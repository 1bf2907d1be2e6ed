import assert from 'node:assert/strict';
import { code, table, text } from '../../../domain/common/format.ts';

describe('a page in Markdown', () => {
  it('escapes markup in customers’ names', () => {
    assert.equal(code('logs/'), '`logs/`');
    assert.equal(code('a`b'), '``a`b``');
    assert.equal(code('`'), '`` ` ``');
    assert.equal(code('a|b'), '`a\\|b`');
    assert.equal(code('tab\tnew\nline'), '`tab\\u{9}new\\u{a}line`');
    assert.equal(code('a\u2028b\u202Ec'), '`a\\u{2028}b\\u{202e}c`');
    assert.equal(code('a_\\|<b'), '<code>a&#95;&#92;&#124;&#60;b</code>');
    assert.equal(text('a | b <c> *d* [e](f)'), 'a \\| b \\<c\\> \\*d\\* \\[e\\](f)');
  });

  it('aligns numbers to the right', () => {
    assert.deepEqual(table(['what', '#number'], [['a', '1']]), [
      '| what | number |',
      '| --- | ---: |',
      '| a | 1 |',
    ]);
  });
});
