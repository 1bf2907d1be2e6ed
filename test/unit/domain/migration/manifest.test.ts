import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { createFailureWindow } from '../../../../domain/migrations/stop.ts';
import * as manifests from '../../../../domain/migrations/manifest.ts';
import { group } from '../decision/inventories.ts';
import { createAgeBands } from '../../../../domain/inventory/classify.ts';

const AS_OF = new Date('2026-01-01T00:00:00.000Z');
const bandOf = createAgeBands(AS_OF);

const entry = (
  key: string,
  changes: Partial<manifests.ManifestPageEntry> = {},
): manifests.ManifestPageEntry => ({
  key,
  sizeBytes: 10,
  etag: 'e',
  lastModified: '2025-12-31T00:00:00.000Z',
  storageClass: 'STANDARD',
  ...changes,
});

const manifestOf = (objects: number, bytes: number) => ({
  groups: [{ ...group('*', 'STANDARD', 0), objects, bytes }],
});

describe('the manifest of a migration', () => {
  it('counts every page, and groups the objects that can be copied by class and age', () => {
    const old = entry('b', { sizeBytes: 2 ** 27, lastModified: '2025-01-01T00:00:00.000Z' });
    const begun = { after: null, next: 'b', entries: [entry('a'), old] };
    const first = manifests.addPage(manifests.EMPTY_MANIFEST, begun, bandOf);
    assert.deepEqual([first.pages, first.after, first.isWhole], [1, 'b', false]);
    const frozen = entry('c', { storageClass: 'GLACIER', blocked: 'needs_restore', sizeBytes: 7 });
    const whole = manifests.addPage(
      first,
      { after: 'b', next: null, entries: [entry('d'), frozen] },
      bandOf,
    );
    assert.equal(whole.isWhole, true);
    assert.deepEqual([whole.objects, whole.bytes], [4, 27 + 2 ** 27]);
    const groups = whole.groups.map((one) =>
      [one.ageBand, one.objects, one.bytes, one.partRequests].join(' '),
    );
    assert.deepEqual(groups, ['0 2 20 0', `3 1 ${2 ** 27} 3`]);
    assert.ok(whole.groups.every(({ storageClass }) => storageClass === 'STANDARD'));
    assert.equal(first.groups[0]?.objects, 1, 'the earlier value is unchanged');
  });

  it('has a page for each slice where its objects are large, of 256 MiB to 64 GiB', () => {
    for (const [total, page] of [
      [0, 2 ** 28],
      [2 ** 34, 2 ** 28],
      [2 ** 36, 2 ** 30],
      [2 ** 42, 2 ** 36],
      [2 ** 50, 2 ** 36],
    ] as const)
      assert.equal(manifests.pageBytesFor(total), page);
  });

  it('is covered by the approval up to ten per cent more', () => {
    const approved = { objects: 100, bytes: 1_000, totalUsd: 1 };
    for (const [objects, bytes, totalUsd, reason] of [
      [1, 1, 0, undefined],
      [110, 1_100, 1.1, undefined],
      [111, 1_000, 1, '111 objects instead of 100'],
      [100, 1_101, 1, '1101 bytes instead of 1000'],
      [100, 1_000, 1.100001, '1.100001 USD instead of 1'],
    ] as const) {
      const answer = manifests.checkApproval(approved, manifestOf(objects, bytes), { totalUsd });
      assert.equal(answer?.code, reason && 'quote_exceeded');
      assert.ok((answer?.message ?? '').includes(reason ?? ''), answer?.message);
    }
    const nothing = { objects: 0, bytes: 0, totalUsd: 0 };
    assert.ok(manifests.checkApproval(nothing, manifestOf(1, 0), { totalUsd: 0 }));
  });
});

describe('the growth of objects after the manifest', () => {
  it('is allowed as its table says', () => {
    for (const [approved, objects, bytes, each] of [
      [1_000, 10, 1_000, 10],
      [1_000, 10, 600, 50],
      [1_000, 10, 1_100, 0],
      [1_000, 10, 1_200, 0],
      [0, 0, 0, 0],
    ] as const)
      assert.equal(manifests.growthAllowance(approved, { objects, bytes }), each);
  });

  it('never exceeds the approval by over ten per cent, though every object grows', () => {
    const size = fc.nat({ max: 2 ** 40 });
    fc.assert(
      fc.property(size, fc.integer({ min: 1, max: 1e6 }), size, (approved, objects, bytes) => {
        const grown = bytes + objects * manifests.growthAllowance(approved, { objects, bytes });
        assert.ok(grown <= Math.max(bytes, approved * 1.1));
      }),
    );
  });
});

describe('the failure window', () => {
  it('is exceeded by the fifty-first failure among the last thousand objects', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 3_000 }), fc.nat(3_000), (all, known) => {
        const window = createFailureWindow(all.slice(0, known));
        for (const isFailed of all.slice(known)) window.note(isFailed);
        assert.equal(window.isOver(), all.slice(-1_000).filter(Boolean).length > 50);
      }),
      { numRuns: 200 },
    );
    // The fifty-first comes; then the first of them leaves the window.
    const window = createFailureWindow(Array.from({ length: 50 }, () => true));
    for (const [isFailed, times, isOver] of [
      [true, 1, true],
      [false, 949, true],
      [false, 1, false],
    ] as const) {
      for (let n = 0; n < times; n += 1) window.note(isFailed);
      assert.equal(window.isOver(), isOver);
    }
  });
});

describe('the parallel slices of a migration', () => {
  it('are one for each page, from 4 to 64', () => {
    assert.deepEqual([0, 4, 5, 63, 65, 1e6].map(manifests.slicesFor), [4, 4, 5, 63, 64, 64]);
  });
});
