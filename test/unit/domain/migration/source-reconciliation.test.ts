import assert from 'node:assert/strict';
import { GroupSums } from '../../../../domain/inventory/group-sums.ts';
import {
  KnownGaps,
  PageComparison,
  type CopiedSource,
  type SourceObject,
} from '../../../../domain/migrations/source-reconciliation.ts';
import { createAgeBands } from '../../../../domain/inventory/classify.ts';

const AS_OF = new Date('2026-11-20T12:00:00Z');

const copied = (key: string): CopiedSource => ({ key, etag: 'e', sizeBytes: 7 });
const listed = (key: string, more: Partial<SourceObject> = {}): SourceObject => ({
  ...copied(key),
  lastModified: '2026-11-01T00:00:00.000Z',
  storageClass: 'STANDARD',
  kind: 'current',
  ...more,
});
const behind = (key: string | null) => (key === null ? null : { key, versionId: null });
const lastPage = (...entries: SourceObject[]) => ({ entries, next: null });

/** Which objects are unchanged, and what is listed for that: `test/unit/activities/reconcile-source.test.ts`. */
describe('PageComparison', () => {
  // That a copied key is there in any version: `test/integration/scan/source-reconciliation.test.ts`.
  it('does not take an old version of a copied object for the object', () => {
    const version = listed('a/1', { kind: 'old_version' });
    const { unchanged } = new PageComparison([copied('a/1')], null).take(lastPage(version));
    assert.deepEqual(unchanged, []);
  });

  it('continues within the versions of a key', () => {
    const comparison = new PageComparison([copied('a')], null);
    const next = { key: 'a', versionId: 'v2' };
    comparison.take({ entries: [listed('a', { kind: 'delete_marker' })], next });
    assert.deepEqual(comparison.listAfter, next);
    const gaps = new KnownGaps();
    gaps.note(behind('a'), lastPage());
    assert.ok(!gaps.covers(next, 'a'), 'a listing behind the key does not know its versions');
    const last = comparison.take(lastPage(listed('a', { kind: 'old_version' })));
    assert.deepEqual([last.isAny, comparison.listAfter], [true, undefined]);
  });

  it('begins before the first key by its bytes, and splits no character', () => {
    const comparison = new PageComparison([copied('x\u{1f600}'), copied('\u{ffff}')], null);
    assert.equal(comparison.listAfter?.key, 'x');
  });
});

describe('KnownGaps', () => {
  it('covers the keys before a listing and after its end', () => {
    const gaps = new KnownGaps();
    assert.equal(gaps.covers(behind('a'), 'b'), false);
    gaps.note(behind('a/'), lastPage(listed('c'), listed('d')));
    const ranges = [
      ['a/', 'b', true],
      ['a', 'b', false],
      [null, 'b', false],
      ['a/5', 'c', false],
      ['c', 'd', false],
      ['d', 'zzz', true],
    ] as const;
    for (const [after, last, isKnown] of ranges) {
      assert.equal(gaps.covers(behind(after), last), isKnown, `${after} to ${last}`);
    }
    gaps.note(null, lastPage());
    assert.equal(gaps.covers(null, 'anything'), true);
  });
});

describe('GroupSums', () => {
  it('sums objects into the groups of the inventory', () => {
    const groups = new GroupSums();
    const kept = new Set(['a/', '/', '*']);
    const bands = createAgeBands(AS_OF);
    for (const key of ['a/1', 'a/b/2', 'z/1', 'a', '/x', '*']) {
      groups.count(listed(key), kept, bands);
    }
    groups.count(listed('a/3', { lastModified: '2020-01-01T00:00:00.000Z' }), kept, bands);
    groups.count(listed('a/4', { sizeBytes: 2 ** 27 }), kept, bands);
    groups.add([{ ...(groups.list()[1] ?? assert.fail()), objects: 10 }]);
    const found = groups.list().map((one) => {
      const sums = [one.objects, one.bytes, one.smallObjects, one.smallBytes, one.partRequests];
      return [one.prefix, one.storageClass, one.ageBand, ...sums].join(' ');
    });
    // Objects, bytes, small ones, their bytes, and the requests for parts.
    assert.deepEqual(found, [
      `a/ STANDARD 0 3 ${14 + 2 ** 27} 2 14 3`,
      '* STANDARD 0 13 42 6 42 0',
      '/ STANDARD 0 1 7 1 7 0',
      'a/ STANDARD 3 1 7 1 7 0',
    ]);
  });
});
