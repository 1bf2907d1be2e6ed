import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { compareKeys } from '../../../../domain/inventory/key-order.ts';
import {
  keyAbove,
  keysAbove,
  openAt,
  type OpenKeys,
} from '../../../../domain/inventory/key-conflicts.ts';

/** The keys that are below another one, by one pass in key order; the most keys that were open. */
function passOver(keys: readonly string[]) {
  let open: OpenKeys = [];
  const below: string[] = [];
  for (const key of keys.toSorted(compareKeys)) {
    open = openAt(open, key);
    if (keyAbove(open, key) !== undefined) below.push(key);
    open = [...open, key];
  }
  return { below, open };
}

describe('keys below other keys', () => {
  it('are found in one pass, whatever is listed between them', () => {
    const keys = ['p/1', 'p/1-a', 'p/1.b/c', 'p/1/', 'p/1/x', 'p/10', 'p/1/x/y', 'q/', 'q/r', 'q'];
    assert.deepEqual(passOver(keys).below, ['p/1/', 'p/1/x', 'p/1/x/y', 'q/', 'q/r']);
  });

  it('are below each of the keys that end at a slash of theirs', () => {
    assert.deepEqual(keysAbove('p/1//x'), ['p', 'p/1', 'p/1/']);
    assert.deepEqual([keysAbove('p'), keysAbove('/p')], [[], ['']]);
  });

  it('are those of which another key with a slash is the beginning', () => {
    const key = fc.string({
      unit: fc.constantFrom('a', '-', '/', '0', 'é', '😀', '\uFFFD'),
      maxLength: 7,
    });
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 60 }), (keys) => {
        const isBelow = (each: string) => keys.some((other) => each.startsWith(`${other}/`));
        const { below, open } = passOver(keys);
        assert.deepEqual(below, keys.filter(isBelow).toSorted(compareKeys));
        assert.ok(open.length <= 8);
      }),
    );
  });
});
