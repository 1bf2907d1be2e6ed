import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { createFailureWindow } from '../../../../domain/migration/stop.ts';
import {
  addPage,
  EMPTY_MANIFEST,
  checkApproval,
  growthAllowance,
  slicesFor,
  type ManifestPageEntry,
} from '../../../../domain/migration/manifest.ts';
import { group } from '../decision/inventories.ts';
import { createAgeBands } from '../../../../domain/inventory/classify.ts';

const AS_OF = new Date('2026-01-01T00:00:00.000Z');
const bandOf = createAgeBands(AS_OF);

const entry = (key: string, changes: Partial<ManifestPageEntry> = {}): ManifestPageEntry => ({
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
    const first = addPage(EMPTY_MANIFEST, begun, bandOf);
    assert.deepEqual([first.pages, first.after, first.isWhole], [1, 'b', false]);
    const frozen = entry('c', { storageClass: 'GLACIER', blocked: 'needs_restore', sizeBytes: 7 });
    const whole = addPage(first, { after: 'b', next: null, entries: [entry('d'), frozen] }, bandOf);
    assert.equal(whole.isWhole, true);
    assert.deepEqual([whole.objects, whole.bytes], [4, 27 + 2 ** 27]);
    assert.deepEqual(
      whole.groups.map((one) => [one.ageBand, one.objects, one.bytes, one.partRequests]),
      [
        [0, 2, 20, 0],
        [3, 1, 2 ** 27, 3],
      ],
    );
    assert.ok(whole.groups.every(({ storageClass }) => storageClass === 'STANDARD'));
    assert.equal(first.groups[0]?.objects, 1, 'the earlier value is unchanged');
  });

  it('is covered by the approval up to ten per cent more', () => {
    const approved = { objects: 100, bytes: 1_000, totalUsd: 1 };
    const cases: [number, number, number, string | null][] = [
      [100, 1_000, 1, null],
      [1, 1, 0, null],
      [110, 1_100, 1.1, null],
      [111, 1_000, 1, '111 objects instead of 100'],
      [100, 1_101, 1, '1101 bytes instead of 1000'],
      [100, 1_000, 1.100001, '1.100001 USD instead of 1'],
    ];
    for (const [objects, bytes, totalUsd, reason] of cases) {
      const answer = checkApproval(approved, manifestOf(objects, bytes), { totalUsd });
      assert.equal(answer === null, reason === null, JSON.stringify([objects, bytes, totalUsd]));
      if (answer && reason !== null) {
        assert.equal(answer.code, 'quote_exceeded');
        assert.ok(answer.message.includes(reason), answer.message);
      }
    }
    const nothing = { objects: 0, bytes: 0, totalUsd: 0 };
    assert.ok(checkApproval(nothing, manifestOf(1, 0), { totalUsd: 0 }));
  });
});

describe('the growth of objects after the manifest', () => {
  it('is allowed as its table says', () => {
    const cases: [approved: number, objects: number, bytes: number, each: number][] = [
      [1_000, 10, 1_000, 10],
      [1_000, 10, 600, 50],
      [1_000, 10, 1_100, 0],
      [1_000, 10, 1_200, 0],
      [0, 0, 0, 0],
    ];
    for (const [approved, objects, bytes, each] of cases)
      assert.equal(growthAllowance(approved, { objects, bytes }), each);
  });

  it('never exceeds the approval by over ten per cent, though every object grows', () => {
    const size = fc.nat({ max: 2 ** 40 });
    fc.assert(
      fc.property(size, fc.integer({ min: 1, max: 1e6 }), size, (approved, objects, bytes) => {
        const grown = bytes + objects * growthAllowance(approved, { objects, bytes });
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
    const window = createFailureWindow(Array.from({ length: 50 }, () => true));
    assert.equal(window.isOver(), false);
    window.note(true);
    assert.equal(window.isOver(), true);
    // 51 of 1,000 still; then the first of them leaves the window.
    for (let n = 0; n < 949; n += 1) window.note(false);
    assert.equal(window.isOver(), true);
    window.note(false);
    assert.equal(window.isOver(), false);
  });
});

describe('the parallel slices of a migration', () => {
  it('are one for each page, from 4 to 64', () => {
    for (const [pages, slices] of [
      [0, 4],
      [4, 4],
      [5, 5],
      [63, 63],
      [65, 64],
      [1_000_000, 64],
    ] as const)
      assert.equal(slicesFor(pages), slices);
  });
});
