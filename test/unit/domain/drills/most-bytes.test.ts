import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mostBytes } from '../../../../domain/drills/most-bytes.ts';
import { Sampler } from '../../../../domain/drills/sample.ts';
import { FileSums } from '../../../../domain/relocations/estimate.ts';
import { priceBook } from '../../price-book.ts';
import { sumBy } from '../../../../domain/common/sums.ts';

const AT = new Date('2026-11-01');
const MB = 1e6;
/** From 0 to 1, the same each time. */
const uniform = (name: string) =>
  createHash('sha256').update(name).digest().readUInt32BE(0) / 2 ** 32;

/** Sizes by their place, as they are in buckets. */
const POPULATIONS: Readonly<Record<string, (place: number) => number>> = {
  'of one size': () => 10 * MB,
  'of all sizes': (place) => Math.round(10 ** (2 + 7 * uniform(`${place}`))),
  'of many small ones and some large ones': (place) => (place % 500 === 0 ? 900 * MB : 20_000),
  'of one that is larger than all others': (place) => (place === 7 ? 3e12 : 100_000),
  'of the ends of a size band': (place) => (uniform(`${place}`) < 0.1 ? 60 * MB : 1.1 * MB),
};

describe('the most bytes of a sample', () => {
  for (const [of, sizeOf] of Object.entries(POPULATIONS))
    it(`are no less than those of any draw, of objects ${of}`, () => {
      const count = 3_000;
      const entries = Array.from({ length: count }, (_unused, place) => ({
        key: `${place % 4}/${place}`,
        sizeBytes: sizeOf(place),
        etag: '',
        lastModified: new Date(AT.getTime() - (place % 700) * 86_400_000).toISOString(),
        storageClass: 'STANDARD',
      }));
      const sums = new FileSums(priceBook, AT);
      for (const { sizeBytes, lastModified } of entries)
        sums.add({ sizeBytes, createdAt: new Date(lastModified) });
      const strata = 4 * 4;
      for (const files of [1, 30, 300]) {
        const most = mostBytes(files, sums.bySize, strata);
        for (let draw = 0; draw < 10; draw += 1) {
          const sampler = new Sampler(`${draw}`, files, AT);
          for (const entry of entries) sampler.add(entry, entry.key.slice(0, 2));
          const drawn = sumBy(sampler.finish().entries, ({ sizeBytes }) => sizeBytes);
          assert.ok(drawn <= most, `${files} of draw ${draw}: ${drawn} of ${most}`);
        }
      }
    });

  it('are those of all, where all are in it, and near the mean of many', () => {
    const bands = [0, 0, 1, 0, 0].map((of) => ({ objects: of * 10, bytes: of * 30 * MB }));
    assert.equal(mostBytes(10, bands, 4), 30 * MB);
    assert.equal(mostBytes(0, bands, 4), 0);
    const many = bands.map(({ objects }) => ({ objects: objects * 1e5, bytes: objects * 1e12 }));
    const most = mostBytes(1_000, many, 4);
    assert.ok(most > 10e9 && most < 13e9, `${most}`);
  });
});
