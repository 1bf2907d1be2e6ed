import assert from 'node:assert/strict';
import { requireOrder } from '../../../activities/migrations/source-listing.ts';
import type { ListedEntry } from '../../../adapters/object-store/list-answers.ts';

const listed = (...keys: string[]) => keys.map((key) => ({ key })) as unknown as ListedEntry[];

describe('a listing by which objects are found to be gone', () => {
  it('is refused unless its keys follow one another, and the key that it continues after', () => {
    requireOrder(listed('a', 'b', '\u{ffff}', '\u{10000}'), null);
    requireOrder(listed('b'), 'a');
    for (const [keys, after] of [
      [['b', 'a'], null],
      [['a', 'a'], null],
      [['\u{10000}', '\u{ffff}'], null],
      [['b'], 'b'],
      [['a'], 'b'],
    ] as const)
      assert.throws(() => requireOrder(listed(...keys), after), { code: 'provider_error' });
  });
});
