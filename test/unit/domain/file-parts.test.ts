import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { planParts, toPartSize } from '../../../domain/upload/file.ts';

const MIB = 2 ** 20;
const LARGEST = 53_687_091_200_000;

describe('the parts of a file', () => {
  const rows: [sizeBytes: number, partSizeBytes: number, partCount: number][] = [
    [0, 8 * MIB, 1],
    [1, 8 * MIB, 1],
    [8 * MIB, 8 * MIB, 1],
    [8 * MIB + 1, 8 * MIB, 2],
    [10_000 * 8 * MIB, 8 * MIB, 10_000],
    [10_000 * 8 * MIB + 1, 9 * MIB, 8_889],
    [LARGEST, 5_120 * MIB, 10_000],
  ];
  for (const [sizeBytes, partSizeBytes, partCount] of rows) {
    it(`of ${sizeBytes} bytes are ${partCount} of ${partSizeBytes}`, () => {
      assert.deepEqual(planParts(sizeBytes), { partSizeBytes, partCount });
    });
  }

  it('add up to the file, are at most 10,000, and are equal but the last', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LARGEST }), (sizeBytes) => {
        const layout = planParts(sizeBytes);
        const { partSizeBytes, partCount } = layout;
        assert.ok(partCount >= 1 && partCount <= 10_000);
        assert.equal(partSizeBytes % MIB, 0);
        const last = toPartSize(sizeBytes, layout, partCount);
        assert.ok(last <= partSizeBytes && (last > 0 || sizeBytes === 0));
        assert.equal((partCount - 1) * partSizeBytes + last, sizeBytes);
        if (partCount > 1) assert.equal(toPartSize(sizeBytes, layout, 1), partSizeBytes);
      }),
    );
  });
});
