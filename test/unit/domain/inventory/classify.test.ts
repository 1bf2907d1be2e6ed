import assert from 'node:assert/strict';
import { DAY_MS } from '../../../../domain/common/time.ts';
import { AGE_BANDS, CONTENT_KINDS, SIZE_BANDS } from '../../../../domain/inventory/bands.ts';
import {
  createAgeBands,
  partRequestsFor,
  sizeBandIndex,
} from '../../../../domain/inventory/classify.ts';
import { contentKindIndex } from '../../../../domain/inventory/content-kind.ts';
import { compareKeys } from '../../../../domain/inventory/key-order.ts';

describe('object classification', () => {
  const asOf = new Date('2024-03-01T12:00:00.500Z');
  const bandOf = createAgeBands(asOf);
  const ages: [days: number, plusMs: number, band: string][] = [
    [0, 0, '0-30'],
    [-400, 0, '0-30'],
    [30, -1, '0-30'],
    [30, 0, '30-90'],
    [90, -1, '30-90'],
    [90, 0, '90-365'],
    [365, -1, '90-365'],
    [365, 0, '365+'],
    [9000, 0, '365+'],
  ];
  for (const [days, plusMs, band] of ages)
    // spec: scanner.lists-classifies-compares
    it(`by age: ${days} days and ${plusMs} ms is ${band}`, () => {
      const changed = new Date(asOf.getTime() - days * DAY_MS - plusMs);
      assert.equal(AGE_BANDS[bandOf(changed.toISOString())], band);
    });

  const sizes: [bytes: number, band: string][] = [
    [0, '<128KiB'],
    [131_071, '<128KiB'],
    [131_072, '128KiB-1MiB'],
    [2 ** 20 - 1, '128KiB-1MiB'],
    [2 ** 20, '1MiB-64MiB'],
    [2 ** 26, '64MiB-5GiB'],
    [5 * 2 ** 30 - 1, '64MiB-5GiB'],
    [5 * 2 ** 30, '>5GiB'],
  ];
  for (const [bytes, band] of sizes)
    // spec: scanner.lists-classifies-compares
    it(`by size: ${bytes} is ${band}`, () => {
      assert.equal(SIZE_BANDS[sizeBandIndex(bytes)], band);
    });

  // spec: scanner.lists-classifies-compares
  it('counts the requests of a multipart upload only above 64 MiB', () => {
    const cases = [0, 2 ** 26, 2 ** 26 + 1, 2 ** 27, 2 ** 27 + 1].map(partRequestsFor);
    assert.deepEqual(cases, [0, 0, 3, 3, 4]);
  });

  const kinds: [key: string, kind: string][] = [
    ['a/b.JPG', 'image'],
    ['x.tar.gz', 'archive'],
    ['logs/x.log', 'log'],
    ['v1.2/report', 'other'],
    ['a/.csv', 'other'],
    ['.csv', 'other'],
    ['a.', 'other'],
    ['', 'other'],
    ['a.toString', 'other'],
    ['a.__proto__', 'other'],
    ['film.Mp4', 'video'],
    ['d/x.parquet', 'data'],
    ['d/x.sql', 'backup'],
    ['song.flac', 'audio'],
    ['paper.pdf', 'document'],
  ];
  for (const [key, kind] of kinds)
    // spec: scanner.lists-classifies-compares
    it(`by content: ${JSON.stringify(key)} is ${kind}`, () => {
      assert.equal(CONTENT_KINDS[contentKindIndex(key)], kind);
    });

  // spec: scanner.lists-classifies-compares
  it('orders keys by their bytes', () => {
    const keys = ['', 'A', 'a', 'a/', 'ab', 'é', '\u{e000}', '\u{ffff}', '\u{10000}', '\u{10ffff}'];
    const byBytes = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(keys.toReversed().sort(compareKeys), byBytes);
  });
});
