import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { MAX_PREFIXES, REST_PREFIX } from '../../../../domain/inventory/bands.ts';
import { createAgeBands } from '../../../../domain/inventory/classify.ts';
import { toInventory } from '../../../../domain/inventory/bucket-inventory.ts';
import {
  addObject,
  appendSegment,
  emptySegment,
  foldSmallPrefixes,
  type MutableSegment,
  type ListedObject,
} from '../../../../domain/inventory/segment.ts';
import { maxSourceKeyBytes, toTargetKey } from '../../../../domain/migration/copying.ts';
import { inOrder, naiveInventory } from './naive-inventory.ts';

const AS_OF = new Date('2024-06-01T00:00:00Z');
const SIZE_LIMITS = [2 ** 20, 2 ** 30];
const BUCKET = 'photos';
const MAX_KEY_BYTES = maxSourceKeyBytes(BUCKET);
const classification = {
  ageBandOf: createAgeBands(AS_OF),
  sizeLimits: SIZE_LIMITS,
  maxKeyBytes: MAX_KEY_BYTES,
};

const object = (key: string, sizeBytes = 1): ListedObject => ({
  key,
  sizeBytes,
  lastModified: '2024-01-01T00:00:00.000Z',
  storageClass: 'STANDARD',
});

function segmentOf(objects: readonly ListedObject[]): MutableSegment {
  const segment = emptySegment();
  for (const one of objects) addObject(segment, one, classification);
  return segment;
}

const prefixes = (objects: readonly ListedObject[]) =>
  new Set(toInventory(segmentOf(objects)).groups.map(({ prefix }) => prefix));

describe('the aggregates of a run of keys', () => {
  it('group keys by the first segment with its slash', () => {
    const keys = ['/lead', 'a', 'a/b', 'a/c/d', 'dir/'];
    assert.deepEqual(
      prefixes(keys.map((key) => object(key))),
      new Set(['/', 'a/', 'dir/', REST_PREFIX]),
    );
  });

  it('keep the largest prefixes by bytes, ties in UTF-8 order', () => {
    const names = Array.from(
      { length: MAX_PREFIXES + 30 },
      (_unused, at) => `p${String(at).padStart(3, '0')}/`,
    );
    const objects = names.map((name, at) => object(`${name}x`, at < 10 ? 1 : 5));
    const kept = prefixes(objects);
    kept.delete(REST_PREFIX);
    assert.deepEqual([...kept].sort(), names.slice(10, 10 + MAX_PREFIXES));
  });

  it('keep a bounded size where every key has its own prefix', () => {
    const objects = Array.from({ length: 5000 }, (_unused, at) =>
      object(`${10_000 + at}/x`, at % 97),
    );
    assert.ok(segmentOf(objects).prefixes.length <= 2 * MAX_PREFIXES + 2);
  });

  it('count the keys whose key at the target has more than 1,024 bytes', () => {
    for (const letter of ['k', 'é', '日', '\u{1F600}']) {
      const padding = (bytes: number) => {
        const missing = bytes - Buffer.byteLength(toTargetKey(BUCKET, 'a/'));
        const width = Buffer.byteLength(letter);
        return 'x'.repeat(missing % width) + letter.repeat(Math.floor(missing / width));
      };
      const keys = [1_023, 1_024, 1_025, 1_031].map((bytes) => `a/${padding(bytes)}`);
      assert.deepEqual(
        keys.map((key) => Buffer.byteLength(toTargetKey(BUCKET, key))),
        [1_023, 1_024, 1_025, 1_031],
      );
      const counted = (some: readonly string[]) =>
        toInventory(segmentOf(some.map((key) => object(key)))).groups.map(
          ({ objects, longKeys }) => [objects, longKeys],
        );
      assert.deepEqual(counted(keys.slice(0, 2)), [[2, undefined]], letter);
      assert.deepEqual(counted(keys), [[4, 2]], letter);
    }
  });

  it('are the same for any split of the run, stored in between', () => {
    const names = fc.constantFrom(
      ...Array.from({ length: 130 }, (_unused, at) => `${at}/`),
      '',
      '/',
    );
    const listed = fc.record({
      key: fc
        .tuple(
          names,
          fc.constantFrom('', '', '', '日'.repeat(335), 'é'.repeat(507)),
          fc.string({ maxLength: 4, unit: 'binary' }),
        )
        .map((parts) => parts.join('')),
      sizeBytes: fc.constantFrom(0, 1, 7, 131_071, 131_072, 2 ** 20, 2 ** 26 + 1, 2 ** 33),
      lastModified: fc.constantFrom('2024-05-31T00:00:00.000Z', '2020-01-01T00:00:00.000Z'),
      storageClass: fc.constantFrom('STANDARD', 'GLACIER'),
    });
    const run = fc.uniqueArray(listed, { selector: ({ key }) => key, maxLength: 400, size: 'max' });
    const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 8 });
    fc.assert(
      fc.property(run, cuts, fc.boolean(), (unordered, places, folded) => {
        const objects = unordered.toSorted((a, b) =>
          Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)),
        );
        const ends = [...places, objects.length].sort((a, b) => a - b);
        let segments = ends.map((end, at) => segmentOf(objects.slice(ends[at - 1] ?? 0, end)));
        if (folded) foldSmallPrefixes(segments);
        segments = JSON.parse(JSON.stringify(segments)) as MutableSegment[];
        const whole = emptySegment();
        for (const segment of segments) appendSegment(whole, segment);
        const entries = objects.map((one) => Object.assign({ kind: 'current' as const }, one));
        assert.deepEqual(
          inOrder(toInventory(whole)),
          inOrder(naiveInventory(entries, AS_OF, SIZE_LIMITS, MAX_KEY_BYTES)),
        );
      }),
      { numRuns: 150 },
    );
  });
});
