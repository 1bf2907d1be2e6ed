import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { createMigratedObjectSearch } from '../../../activities/scans/migrated-object-search.ts';
import { reconcileSlice } from '../../../activities/scans/reconcile-source.ts';
import type { ReconciliationContext } from '../../../activities/scans/reconcile-source.ts';
import type { ListedEntry } from '../../../adapters/object-store/list-answers.ts';
import type { MigratedEntry, Manifests } from '../../../adapters/mongo/migrations/manifests.ts';
import type { SourceReconciliation } from '../../../adapters/mongo/scans/source-reconciliations.ts';
import { StoreError, type StoreFailure } from '../../../adapters/object-store/errors.ts';
import { createAgeBands } from '../../../domain/inventory/classify.ts';
import type { Group } from '../../../domain/inventory/inventory.ts';
import { compareKeys } from '../../../domain/inventory/key-order.ts';

const LONG_MS = 60_000;

const entry = (key: string, etag = 'e'): ListedEntry => ({
  key,
  etag,
  sizeBytes: 3,
  lastModified: '2026-11-01T00:00:00.000Z',
  storageClass: 'STANDARD',
  kind: 'current',
});

const inOrder = <T extends { readonly key: string }>(entries: readonly T[]): T[] =>
  entries.toSorted((a, b) => compareKeys(a.key, b.key));

/** A source that returns pages of a given size, and counts them. */
function sourceOf(objects: readonly ListedEntry[], pageSize: number) {
  const sorted = inOrder(objects);
  const source = {
    requests: 0,
    failures: [] as StoreFailure[],
    listVersions: () => assert.fail('the bucket keeps no versions'),
    async listObjects({ after }: { readonly after: { readonly key: string } | null }) {
      source.requests += 1;
      const failure = source.failures.shift();
      if (failure) throw new StoreError(failure);
      const rest = sorted.filter(({ key }) => after === null || compareKeys(key, after.key) > 0);
      const entries = rest.slice(0, pageSize);
      const last = entries.at(-1);
      const isLast = rest.length <= pageSize || !last;
      return { entries, next: isLast ? null : { key: last.key, versionId: null } };
    },
  };
  return source;
}

/** The manifest of the copied objects under one prefix, in pages of a given size. */
function manifestOf(copied: readonly MigratedEntry[], pageSize: number) {
  const sorted = inOrder(copied);
  const pages = Math.ceil(sorted.length / pageSize);
  const manifests: Pick<Manifests, 'migrated'> = {
    async migrated(_migrationId, page) {
      if (page >= pages) return undefined;
      const from = page * pageSize;
      return { after: sorted[from - 1]?.key ?? null, entries: sorted.slice(from, from + pageSize) };
    },
  };
  return { manifests, pages };
}

const FRESH: SourceReconciliation = {
  migrationId: 'm',
  round: 1,
  bucket: 'b',
  region: 'us-east-1',
  prefix: null,
  isFinal: true,
  revision: 0,
  page: 0,
  after: null,
  hasMigrated: false,
  bytesMigrated: 0,
  holdsKeys: false,
  counted: [],
  requests: { list: 0, other: 0, costUsd: 0 },
  outcome: null,
};

type Source = ReturnType<typeof sourceOf>;

function termsOf(
  source: Source,
  manifest: ReturnType<typeof manifestOf>,
  more: Partial<ReconciliationContext> = {},
): ReconciliationContext {
  return {
    bucket: source,
    ...manifest,
    earlier: [],
    seen: { prefixes: new Set(['a/']), keepsVersions: false },
    ageBandOf: createAgeBands(new Date('2026-11-20T12:00:00Z')),
    ...more,
  };
}

const slice = (terms: ReconciliationContext, before: SourceReconciliation, maxMs = LONG_MS) =>
  reconcileSlice(terms, before, {
    maxMs,
    signal: () => new AbortController().signal,
    wait: async () => undefined,
  });

/** Runs slice after slice, each as short as possible, with its state stored in between, as after a kill. */
async function inSlices(terms: ReconciliationContext): Promise<SourceReconciliation> {
  let work = FRESH;
  for (let slices = 0; work.outcome === null; slices += 1) {
    assert.ok(slices < 500, 'no progress');
    ({ work } = await slice(terms, work, 0));
    work = JSON.parse(JSON.stringify(work)) as SourceReconciliation;
  }
  return work;
}

const objectsOf = (groups: readonly Group[]) =>
  groups.reduce((sum, { objects }) => sum + objects, 0);
const keys = (count: number, pattern: (n: string) => string) =>
  Array.from({ length: count }, (_unused, n) => entry(pattern(String(n).padStart(5, '0'))));

describe('source reconciliation of a migration', () => {
  it('finds the copied objects that a source still holds, in one slice or many', async () => {
    const key = fc.string({
      unit: fc.constantFrom('a', 'b', '/', '\u{1f600}', '\u{e000}'),
      minLength: 1,
      maxLength: 3,
    });
    const listed = fc.record({
      key,
      etag: fc.constantFrom('e', 'f'),
      sizeBytes: fc.constantFrom(3, 4),
      lastModified: fc.constantFrom('2026-11-01T00:00:00.000Z', '2026-11-20T00:00:00.000Z'),
      storageClass: fc.constantFrom('STANDARD', 'GLACIER'),
      kind: fc.constant('current' as const),
    });
    const objects = fc.uniqueArray(listed, {
      selector: (one) => one.key,
      maxLength: 60,
      size: 'max',
    });
    const size = fc.integer({ min: 1, max: 9 });
    const sets = fc.tuple(objects, objects, objects);
    await fc.assert(
      fc.asyncProperty(sets, size, size, async ([there, copied, before], n, m) => {
        const manifest = manifestOf(copied, m);
        const other = manifestOf(before, n);
        const earlier = [createMigratedObjectSearch(other.manifests, 'o', other.pages)];
        const terms = termsOf(sourceOf(there, n), manifest, { earlier });
        // Rewritten with the same bytes, or in another class, it is the same.
        const isIn = (list: readonly ListedEntry[], { key, etag, sizeBytes }: ListedEntry) =>
          list.some((one) => one.key === key && one.etag === etag && one.sizeBytes === sizeBytes);
        const held = there.filter((object) => isIn(copied, object));
        const counted = held.filter((object) => !isIn(before, object));
        const isAny = there.some(({ key: name }) => copied.some((one) => one.key === name));
        const { work } = await slice(terms, FRESH);
        assert.equal(work.outcome, 'compared');
        assert.equal(work.hasMigrated, copied.length > 0);
        for (const one of [work, await inSlices(terms)]) {
          assert.equal(one.holdsKeys, isAny);
          assert.equal(objectsOf(one.counted), counted.length);
        }
      }),
      { numRuns: 150 },
    );
  });

  const many = (prefix: string) => keys(2_000, (n) => `${prefix}/${n}`);
  const spread = keys(20, (n) => `${n}/x`);
  const between = spread.flatMap(({ key }) => keys(300, (n) => `${key}-${n}`));
  for (const [what, there, copied, counted, requests] of [
    ['lists each page once where the source is unchanged', many('a'), many('a'), 2_000, 22],
    ['lists few pages where the source was deleted', many('b'), many('a'), 0, 4],
    ['skips objects added in between', [...spread, ...between], spread, 20, 21],
  ] as const) {
    it(what, async () => {
      const source = sourceOf(there, 100);
      const { work } = await slice(termsOf(source, manifestOf(copied, 100)), FRESH);
      assert.deepEqual([objectsOf(work.counted), work.outcome], [counted, 'compared']);
      assert.ok(source.requests <= requests, String(source.requests));
    });
  }

  it('has no result where reading is denied, or where the scan has not read the bucket', async () => {
    const copied = keys(10, (n) => `a/${n}`);
    const refusing = sourceOf(copied, 5);
    refusing.failures = ['access_denied', 'access_denied'];
    const refused = await slice(termsOf(refusing, manifestOf(copied, 5)), FRESH);
    assert.equal(refused.work.outcome, 'unknown');
    const elsewhere = sourceOf(copied, 5);
    const asked = await slice(termsOf(elsewhere, manifestOf(copied, 5), { seen: null }), FRESH);
    assert.deepEqual([asked.work.outcome, asked.work.counted], ['unknown', []]);
    assert.ok(elsewhere.requests <= 2);
  });

  it('retries transient errors, and reports where it made no progress', async () => {
    const copied = keys(3, (n) => `a/${n}`);
    const source = sourceOf(copied, 5);
    source.failures = ['throttled', 'timed_out'];
    const { work } = await slice(termsOf(source, manifestOf(copied, 5)), FRESH);
    assert.equal(objectsOf(work.counted), 3);
    source.failures = Array.from({ length: 8 }, () => 'throttled' as const);
    const stuck = await slice(termsOf(source, manifestOf(copied, 5)), FRESH);
    assert.equal(stuck.failure?.failure, 'throttled');
    assert.deepEqual([stuck.work.page, stuck.work.after, stuck.work.counted], [0, null, []]);
  });
});
