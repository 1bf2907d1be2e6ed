import assert from 'node:assert/strict';
import { allot, Sampler } from '../../../../domain/drills/sample.ts';
import type { ManifestEntry } from '../../../../domain/migrations/object-ledger.ts';
import { sumBy } from '../../../../domain/common/sums.ts';

const AS_OF = new Date('2026-06-01T00:00:00.000Z');

function objectOf(key: string, sizeBytes = 1_000, ageDays = 1): ManifestEntry {
  const lastModified = new Date(AS_OF.getTime() - ageDays * 86_400_000).toISOString();
  return { key, sizeBytes, etag: '', lastModified, storageClass: 'STANDARD' };
}

function sampleOf(
  objects: readonly (readonly [ManifestEntry, group: string])[],
  { seed = 'seed', files = 100, maxBytes = Infinity } = {},
) {
  const sampler = new Sampler(seed, files, AS_OF);
  for (const [entry, group] of objects) sampler.add(entry, group);
  return sampler.finish(maxBytes);
}

const keysOf = ({ entries }: { readonly entries: readonly ManifestEntry[] }) =>
  entries.map(({ key }) => key);

/** 9,000 in one group, 900 in another, 100 in a third. */
const UNEVEN = Array.from({ length: 10_000 }, (_each, at) => {
  const group = at < 9_000 ? 'a/' : at < 9_900 ? 'b/' : 'c/';
  return [objectOf(`${group}${at}`, 1_000 + (at % 7)), group] as const;
});

describe('the sample of a drill', () => {
  it('is the same for a seed, in whatever order the objects come, and another one for another seed', () => {
    const first = sampleOf(UNEVEN);
    assert.deepEqual(sampleOf(UNEVEN.toReversed()), first);
    assert.notDeepEqual(sampleOf(UNEVEN, { seed: 'another' }).entries, first.entries);
    assert.equal(new Set(keysOf(first)).size, 100);
    assert.deepEqual(keysOf(first), keysOf(first).toSorted());
  });

  it('has each stratum in proportion, and says how much it stands for', () => {
    const { strata, entries } = sampleOf(UNEVEN);
    assert.deepEqual(
      strata.map(({ what, files, ofFiles }) => [what, files, ofFiles]),
      [
        ['<128KiB, 0-30 days, a/', 90, 9_000],
        ['<128KiB, 0-30 days, b/', 9, 900],
        ['<128KiB, 0-30 days, c/', 1, 100],
      ],
    );
    assert.equal(
      sumBy(strata, ({ bytes }) => bytes),
      sumBy(entries, ({ sizeBytes }) => sizeBytes),
    );
  });

  it('always has the extremes and the oddest keys', () => {
    const special = [
      objectOf('a/largest', 9e9),
      objectOf('a/smallest', 0),
      objectOf('a/oldest', 1_000, 4_000),
      objectOf('a/newest', 1_000, 0),
      objectOf(`a/${'long'.repeat(200)}`),
      objectOf('a/ünïcode'),
      objectOf('a/a+b %20c'),
      objectOf('a/tab\there'),
      objectOf('a//../b/'),
    ];
    const objects = [...UNEVEN, ...special.map((entry) => [entry, 'a/'] as const)];
    const sample = sampleOf(objects, { files: 30 });
    assert.equal(sample.entries.length, 30);
    const keys = new Set(keysOf(sample));
    assert.deepEqual(
      special.filter(({ key }) => !keys.has(key)),
      [],
    );
  });

  it('holds its bounds: one file, all files, few bytes, none', () => {
    assert.equal(sampleOf(UNEVEN, { files: 1 }).entries.length, 1);
    assert.equal(sampleOf(UNEVEN.slice(0, 3)).entries.length, 3);
    assert.deepEqual(sampleOf([]), { entries: [], strata: [], withoutRoom: 0 });
    const small = sampleOf(UNEVEN, { maxBytes: 20_000 });
    assert.ok(sumBy(small.entries, ({ sizeBytes }) => sizeBytes) <= 20_000);
    assert.ok(small.entries.length >= 15);
    assert.equal(sampleOf([[objectOf('a', 1e9), '']], { maxBytes: 1 }).entries.length, 1);
  });

  it('puts the groups beyond the first fifty together', () => {
    const objects = Array.from({ length: 500 }, (_each, at) => {
      const group = `${at % 100}/`;
      return [objectOf(`${group}${at}`), group] as const;
    });
    const { strata } = sampleOf(objects, { files: 60 });
    assert.equal(strata.length, 51);
    assert.equal(strata.find(({ what }) => what.endsWith('*'))?.ofFiles, 250);
  });

  for (const [files, strata, shares] of [
    [10, [50, 30, 20], [5, 3, 2]],
    [10, [98, 1, 1], [8, 1, 1]],
    [2, [5, 3, 1], [1, 1, 0]],
    [10, [3, 1], [3, 1]],
    [0, [3, 1], [0, 0]],
    [7, [], []],
  ] as const)
    it(`shares ${files} among ${strata.join(', ')} as ${shares.join(', ')}`, () => {
      assert.deepEqual(allot(files, strata), shares);
    });
});
