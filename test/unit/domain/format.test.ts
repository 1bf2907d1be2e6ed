import assert from 'node:assert/strict';
import { formatBytes, formatCount, formatMonths, formatUsd } from '../../../domain/format.ts';

describe('format', () => {
  for (const [usd, text] of [
    [0, '0.00'],
    [0.000001, '0.000001'],
    [0.009999, '0.009999'],
    [0.01, '0.01'],
    [0.5, '0.50'],
    [999.999, '1,000.00'],
    [1234567.891, '1,234,567.89'],
    [-2.5, '-2.50'],
    [-1234.5, '-1,234.50'],
  ] as const) {
    it(`formats ${usd} USD as ${text}`, () => assert.equal(formatUsd(usd), text));
  }

  for (const [bytes, text] of [
    [0, '0 bytes'],
    [1023, '1,023 bytes'],
    [1024, '1 KiB'],
    [1536, '1.5 KiB'],
    [200 * 10 * 2 ** 20, '1.95 GiB'],
    [5 * 2 ** 30, '5 GiB'],
    [3 * 2 ** 60, '3,072 PiB'],
  ] as const) {
    it(`formats ${bytes} bytes as ${text}`, () => assert.equal(formatBytes(bytes), text));
  }

  it('puts a noun in the plural unless its count is 1', () => {
    assert.equal(formatCount(0, 'object'), '0 objects');
    assert.equal(formatCount(1, 'object'), '1 object');
    assert.equal(formatCount(1_234_567, 'object'), '1,234,567 objects');
    assert.equal(formatMonths(1), '1 month');
    assert.equal(formatMonths(5.8), '5.8 months');
  });
});
