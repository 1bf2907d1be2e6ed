import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { MAX_PREFIXES } from '../../../../domain/inventory/bands.ts';
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
import { maxSourceKeyBytes } from '../../../../domain/migration/copying.ts';
import { expectedInventory, inOrder } from './expected-inventory.ts';

const AS_OF = new Date('2024-06-01T00:00:00Z');
const BUCKET = 'photos';
const MAX_KEY_BYTES = maxSourceKeyBytes(BUCKET);
/** Those of the targets. */
const SIZE_LIMITS = [5_492_189_429_760, 10_000_000_000_000];
const classification = {
  ageBandOf: createAgeBands(AS_OF),
  sizeLimits: SIZE_LIMITS,
  maxKeyBytes: MAX_KEY_BYTES,
};

function segmentOf(objects: readonly ListedObject[]): MutableSegment {
  const segment = emptySegment();
  for (const one of objects) addObject(segment, one, classification);
  return segment;
}

/** The key, with letters behind it so that it is so long. */
function padded(key: string, bytes: number, letter: string): string {
  const missing = bytes - Buffer.byteLength(key);
  const width = Buffer.byteLength(letter);
  return key + 'x'.repeat(missing % width) + letter.repeat(Math.floor(missing / width));
}

describe('the aggregates of a run of keys', () => {
  it('keep a bounded size where every key has its own prefix', () => {
    const objects = Array.from({ length: 5000 }, (_unused, at) => ({
      key: `${10_000 + at}/x`,
      sizeBytes: at % 97,
      lastModified: '2024-01-01T00:00:00.000Z',
      storageClass: 'STANDARD',
    }));
    assert.ok(segmentOf(objects).prefixes.length <= 2 * MAX_PREFIXES + 2);
  });

  it('are those of the second computation for any split of the run, stored in between', () => {
    const prefixes = Array.from({ length: 130 }, (_unused, at) => `${at}/`);
    const key = fc
      .tuple(
        fc.constantFrom(...prefixes, '', '/'),
        fc.string({ maxLength: 4, unit: 'binary' }),
        fc.option(
          fc.tuple(
            // Those that just fit at the target, and those that just do not.
            fc.constantFrom(MAX_KEY_BYTES - 1, MAX_KEY_BYTES, MAX_KEY_BYTES + 1),
            fc.constantFrom('k', 'é', '日', '\u{1F600}'),
          ),
          { freq: 3 },
        ),
      )
      .map(([prefix, name, length]) => (length ? padded(prefix, ...length) : prefix + name));
    const listed = fc.record({
      key,
      sizeBytes: fc.constantFrom(
        0,
        1,
        7,
        131_071,
        131_072,
        2 ** 20,
        2 ** 26 + 1,
        2 ** 33,
        1e13 + 1,
      ),
      lastModified: fc.constantFrom('2024-05-31T00:00:00.000Z', '2020-01-01T00:00:00.000Z'),
      storageClass: fc.constantFrom('STANDARD', 'GLACIER'),
    });
    const run = fc.uniqueArray(listed, { selector: (one) => one.key, maxLength: 400, size: 'max' });
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
          inOrder(expectedInventory(entries, AS_OF, BUCKET)),
        );
      }),
      { numRuns: 150 },
    );
  });
});
