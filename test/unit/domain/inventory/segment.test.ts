import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { DAY_MS } from '../../../../domain/common/time.ts';
import { MAX_PREFIXES } from '../../../../domain/inventory/bands.ts';
import { createAgeBands } from '../../../../domain/inventory/classify.ts';
import { toInventory } from '../../../../domain/inventory/bucket-inventory.ts';
import * as segments from '../../../../domain/inventory/segment.ts';
import { maxSourceKeyBytes } from '../../../../domain/migrations/copying.ts';
import { leftAlonePatterns } from '../../left-alone.ts';
import { assertInventory } from './expected-inventory.ts';

const UPLOADED = 'uploads/0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e/';
const AS_OF = new Date('2024-06-01T00:00:00.500Z');
const BUCKET = 'photos';
const MAX_KEY_BYTES = maxSourceKeyBytes(BUCKET);
/** Those of the targets. */
const SIZE_LIMITS = [5_492_189_429_760, 5_497_558_138_880, 10_000_000_000_000];
const MIN_SIZES = [4_096];
/** Ends of keys by which something is left alone, and others like them. */
const MARKED = [
  'a/AWSLogs/x',
  'a/AWSLogs',
  'a/.hoodie/',
  '_delta_log/0.json',
  '_delta_logs/0',
  'x.tfstate',
  'x.tfstate.backup',
  'metadata/v1.metadata.json',
  'metadata/a/v1.metadata.json',
  'v1.metadata.json',
];
/** On and beside the limits of the bands, and of a part. */
const LIMITS = [4_096, 131_072, 2 ** 20, 2 ** 26, 2 ** 27, 5 * 2 ** 30];
const SIZES = LIMITS.flatMap((limit) => [limit - 1, limit, limit + 1]).concat(0, 1, 7, 1e13 + 1);
const AGES_MS = [0, 30, 90, 365, 9_000]
  .flatMap((days) => [days * DAY_MS - 1, days * DAY_MS])
  .concat(-400 * DAY_MS);
const classification = {
  ageBandOf: createAgeBands(AS_OF),
  sizeLimits: SIZE_LIMITS,
  minSizes: MIN_SIZES,
  maxKeyBytes: MAX_KEY_BYTES,
  marksOf: leftAlonePatterns.marksOf,
  isLeftOver: () => false,
};

function segmentOf(objects: readonly segments.ListedObject[]): segments.MutableSegment {
  const segment = segments.emptySegment();
  for (const one of objects) {
    segments.addObject(segment, one, classification);
    segments.noteOldest(segment, one.lastModified);
  }
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

  it('keep of equally large prefixes those that S3 lists first', () => {
    const listed = ['\uff5e/', '\u{1f600}/'].map((prefix) => ({
      prefix,
      bytes: 1,
      cells: [],
      marks: 0,
    }));
    assert.deepEqual(segments.largestPrefixes(listed.toReversed()), listed);
  });

  it('are those of the second computation for any split of the run, stored in between', () => {
    const prefixes = Array.from({ length: 130 }, (_unused, at) => `${at}/`);
    const key = fc
      .tuple(
        fc.constantFrom(...prefixes, '', '/', UPLOADED, UPLOADED, 'uploads/', 'AWSLogs/'),
        fc.oneof(
          { weight: 9, arbitrary: fc.string({ maxLength: 4, unit: 'binary' }) },
          { weight: 1, arbitrary: fc.constantFrom(...MARKED) },
        ),
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
      sizeBytes: fc.constantFrom(...SIZES),
      lastModified: fc
        .constantFrom(...AGES_MS)
        .map((ms) => new Date(AS_OF.getTime() - ms).toISOString()),
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
        const parts = ends.map((end, at) => segmentOf(objects.slice(ends[at - 1] ?? 0, end)));
        if (folded) segments.foldSmallPrefixes(parts);
        const whole = segments.emptySegment();
        for (const part of JSON.parse(JSON.stringify(parts)) as typeof parts)
          segments.appendSegment(whole, part);
        const entries = objects.map((one) => Object.assign({ kind: 'current' as const }, one));
        assertInventory(toInventory(whole), entries, AS_OF, BUCKET);
      }),
      { numRuns: 150 },
    );
  });
});
