import assert from 'node:assert/strict';
import { slicesFor } from '../../../../domain/migration/manifest.ts';

describe('the parallel slices of a migration', () => {
  for (const [pages, slices] of [
    [0, 4],
    [4, 4],
    [5, 5],
    [63, 63],
    [65, 64],
    [1_000_000, 64],
  ] as const) {
    it(`are ${slices} for ${pages} pages`, () => {
      assert.equal(slicesFor(pages), slices);
    });
  }
});
