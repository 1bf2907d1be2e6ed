import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { createLeftOverTest, createPrefixTest } from '../../../../domain/inventory/left-over.ts';

const AS_OF = new Date('2026-11-28T12:00:00.000Z');

describe('what is left over', () => {
  it('is old enough to the millisecond, and of no key that a rule cleans up', () => {
    const isLeftOver = createLeftOverTest(AS_OF, 30, ['logs/']);
    assert.equal(isLeftOver('a', '2026-10-29T12:00:00.000Z'), true);
    assert.equal(isLeftOver('a', '2026-10-29T12:00:00.001Z'), false);
    assert.equal(isLeftOver('a', '2027-01-01T00:00:00.000Z'), false);
    assert.equal(isLeftOver('logs/a', '2020-01-01T00:00:00.000Z'), false);
    assert.equal(isLeftOver('log/a', '2020-01-01T00:00:00.000Z'), true);
  });

  it('is nothing whose time is not known, and nothing where the rules are not', () => {
    const isLeftOver = createLeftOverTest(AS_OF, 7, []);
    for (const since of [null, '', '1970-01-01T00:00:00.000Z'])
      assert.equal(isLeftOver('a', since), false, String(since));
    assert.equal(createLeftOverTest(AS_OF, 7, null)('a', '2020-01-01T00:00:00.000Z'), false);
  });

  it('matches a key by any of many prefixes', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '\u{1f600}', '\u{e000}') });
    fc.assert(
      fc.property(fc.array(text), text, (prefixes, key) => {
        const expected = prefixes.some((prefix) => key.startsWith(prefix));
        assert.equal(createPrefixTest(prefixes)(key), expected);
      }),
      { numRuns: 2_000 },
    );
  });
});
