import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { PageRequest } from '../../../adapters/cloud-account/account-reader.ts';
import { openRange, takePage, type KeyRange } from '../../../adapters/cloud-account/key-ranges.ts';
import type { ListedEntry, ListPage } from '../../../adapters/object-store/list-answers.ts';
import * as listings from '../../../adapters/cloud-account/listing.ts';
import { StoreError } from '../../../adapters/object-store/errors.ts';
import { DELETABLE_AFTER_DAYS } from '../../../domain/inventory/bands.ts';
import { createAgeBands } from '../../../domain/inventory/classify.ts';
import { createLeftOverTest } from '../../../domain/inventory/left-over.ts';
import { toInventory } from '../../../domain/inventory/bucket-inventory.ts';
import { appendSegment, emptySegment } from '../../../domain/inventory/segment.ts';
import { leftAlonePatterns } from '../left-alone.ts';
import { assertInventory } from '../domain/inventory/expected-inventory.ts';

const AS_OF = new Date('2024-06-01T00:00:00Z');
/** The minimum sizes are those of the catalogue. */
const BASIS = { asOf: AS_OF, sizeLimits: [], minSizes: [4_096] };
const { marksOf } = leftAlonePatterns;
/** Of the rules that a bucket has, some match none of the keys. */
const RULES = fc.constantFrom(null, [], [''], ['a', 'aa', 'zz/'], ['1', 'uploads/', '日']);
/** In the middle of the keys below, so that some are longer. */
const MAX_KEY_BYTES = 4;
/** So long that just such keys fit behind it. */
const BUCKET = 'b'.repeat(1_024 - 1 - MAX_KEY_BYTES);
const KINDS = ['current', 'old_version', 'delete_marker'] as const;

/** Versions of keys as a listing sends them: by key, and several of the same key in a row. */
const listing = (unit: fc.Arbitrary<string>) =>
  fc
    .uniqueArray(fc.tuple(fc.string({ unit, maxLength: 6 }), fc.nat({ max: 3 }), fc.nat()), {
      selector: ([key]) => key,
      maxLength: 120,
      size: 'max',
    })
    .map((keys): ListedEntry[] =>
      keys
        .toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        .flatMap(([key, versions, random]) =>
          Array.from({ length: versions + 1 }, (_unused, at) => ({
            key,
            etag: '',
            sizeBytes: (random * (at + 1)) % 2 ** 28,
            // Each version is older than the one in front of it.
            lastModified: new Date(
              Date.UTC(2024, 4, 31) - ((random % 60) + at * (random % 97)) * 86_400_000,
            ).toISOString(),
            storageClass: random % 3 === 0 ? 'GLACIER' : 'STANDARD',
            kind:
              at === 0 && random % 5 > 0 ? 'current' : (KINDS[1 + (random % 2)] ?? 'old_version'),
          })),
        ),
    );

const UPLOADED = 'uploads/0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e/';
const anyListing = fc.oneof(
  listing(fc.constantFrom(UPLOADED, UPLOADED, 'a', 'uploads/')),
  listing(fc.constantFrom('a', 'b', '/', '9', 'Z')),
  listing(fc.constantFrom('0', '1', '2', 'f')),
  listing(fc.constantFrom('é', '日', '\u{1f600}', '\u{e000}', ' ', '%')),
);

/** The page of a store that holds these entries; a version's id is its place in its key's row. */
function pageOf(entries: readonly ListedEntry[], { after }: PageRequest, size: number): ListPage {
  let from = 0;
  if (after !== null) {
    const place = (order: (c: number) => boolean) =>
      entries.findIndex(({ key }) =>
        order(Buffer.compare(Buffer.from(key), Buffer.from(after.key))),
      );
    const behind = place((order) => order > 0);
    from = behind < 0 ? entries.length : behind;
    if (after.versionId !== null)
      from = place((order) => order === 0) + Number(after.versionId) + 1;
  }
  const page = entries.slice(from, from + size);
  const last = page.at(-1);
  if (!last || from + size >= entries.length) return { entries: page, next: null };
  const first = entries.findIndex(({ key }) => key === last.key);
  const goesOn = entries[from + size]?.key === last.key;
  const versionId = goesOn ? String(from + size - 1 - first) : null;
  return { entries: page, next: { key: last.key, versionId } };
}

interface Trial {
  readonly pageSize: number;
  readonly maxEntries: number;
  readonly seed: number;
  readonly cleanedVersions: readonly string[] | null;
}

/** Lists the entries in slices, the state stored as JSON between them; some pages fail at first. */
async function list(
  entries: readonly ListedEntry[],
  { pageSize, maxEntries, seed, cleanedVersions }: Trial,
) {
  let dice = seed;
  const random = () => {
    dice = (dice * 48_271 + 11) % 2_147_483_647;
    return dice / 2_147_483_647;
  };
  const read = async (request: PageRequest) => {
    for (let turns = Math.floor(random() * 4); turns > 0; turns -= 1) await Promise.resolve();
    if (random() < 0.05) throw new StoreError('throttled');
    return pageOf(entries, request, pageSize);
  };
  let nowMs = 0;
  const deps = {
    bucket: { listObjects: read, listVersions: read },
    limits: { maxEntries, maxMs: 1e9 },
    maxKeyBytes: MAX_KEY_BYTES,
    marksOf,
    now: () => nowMs,
    random,
    wait: async (ms: number) => void (nowMs += ms),
  };
  let state: listings.ListingState = listings.startListing('kept', {
    ...BASIS,
    cleanedVersions,
  });
  while (!listings.isListed(state)) {
    const slice = await listings.continueListing(deps, state);
    assert.equal(slice.failure, null);
    state = JSON.parse(JSON.stringify(slice.state)) as listings.ListingState;
  }
  return state;
}

describe('the listing of a bucket', () => {
  it('counts all entries for any ranges, pages and slices', async () => {
    const trial = fc.record({
      pageSize: fc.integer({ min: 1, max: 7 }),
      maxEntries: fc.constantFrom(1, 5000, 1e9),
      seed: fc.nat(),
      cleanedVersions: RULES,
    });
    await fc.assert(
      fc.asyncProperty(anyListing, trial, async (entries, how) => {
        const state = await list(entries, how);
        const found = listings.listedInventory(state);
        assertInventory(found, entries, AS_OF, BUCKET, how.cleanedVersions);
        const current = entries.filter(({ kind }) => kind === 'current');
        assert.equal(listings.listedTotals(state).objects, current.length);
      }),
      { numRuns: 60 },
    );
  });

  it('counts each entry once for any ranges, with duplicate and late pages', () => {
    const ageBandOf = createAgeBands(AS_OF);
    const isLeftOver = createLeftOverTest(AS_OF, DELETABLE_AFTER_DAYS, []);
    const own = { ageBandOf, maxKeyBytes: MAX_KEY_BYTES, marksOf, isLeftOver };
    const classification = { ...BASIS, ...own };
    const bound = fc.string({ unit: fc.constantFrom('a', '/', '9', '日'), minLength: 1 });
    const cases = fc.record({
      bounds: fc.uniqueArray(bound, { maxLength: 5 }),
      pageSize: fc.integer({ min: 1, max: 9 }),
      picks: fc.infiniteStream(fc.nat()),
    });
    fc.assert(
      fc.property(anyListing, cases, (entries, { bounds, pageSize, picks }) => {
        const places = bounds.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        const ranges = [...places, null].map((upTo, at): KeyRange => {
          const behind = places[at - 1];
          return openRange(behind === undefined ? null : { key: behind, versionId: null }, upTo);
        });
        const sent: (() => void)[] = [];
        while (ranges.some(({ isDone }) => !isDone)) {
          const open = ranges.filter(({ isDone }) => !isDone);
          const range = open[(picks.next().value ?? 0) % open.length];
          if (!range) break;
          const after = range.cursor;
          const page = pageOf(entries, { after }, pageSize);
          sent.push(() => void takePage(range, after, page, classification));
          sent.at(-1)?.();
          sent[(picks.next().value ?? 0) % sent.length]?.();
        }
        const whole = emptySegment();
        for (const { segment } of ranges) appendSegment(whole, segment);
        assertInventory(toInventory(whole), entries, AS_OF, BUCKET, []);
      }),
      { numRuns: 150 },
    );
  });

  it('ends with a lasting failure, and keeps what was read', async () => {
    const waits: number[] = [];
    let requests = 0;
    const failing = async (): Promise<ListPage> => {
      requests += 1;
      if (requests > 1) throw new StoreError('timed_out');
      const entry = { key: 'a', sizeBytes: 3, lastModified: '', storageClass: 'STANDARD' };
      const entries = [{ ...entry, etag: '', kind: 'current' as const }];
      return { entries, next: { key: 'a', versionId: null } };
    };
    const { state, failure } = await listings.continueListing(
      {
        bucket: { listObjects: failing, listVersions: failing },
        limits: { maxEntries: 1e6, maxMs: 1e9 },
        maxKeyBytes: MAX_KEY_BYTES,
        marksOf,
        now: () => waits.reduce((sum, ms) => sum + ms, 0),
        random: () => 0.5,
        wait: async (ms) => void waits.push(ms),
      },
      listings.startListing('off', BASIS),
    );
    assert.ok(failure instanceof StoreError && failure.failure === 'timed_out');
    assert.deepEqual(listings.listedTotals(state), { objects: 1, bytes: 3 });
    assert.ok(waits.length >= 7 && (waits.at(-1) ?? 0) > (waits[0] ?? 0));
  });
});
