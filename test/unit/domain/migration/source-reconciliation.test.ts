import assert from 'node:assert/strict';
import { GroupSums } from '../../../../domain/inventory/group-sums.ts';
import {
  KnownGaps,
  PageComparison,
  type CopiedObject,
  type SourceObject,
} from '../../../../domain/migration/source-reconciliation.ts';
import { createAgeBands } from '../../../../domain/inventory/classify.ts';

const AS_OF = new Date('2026-11-20T12:00:00Z');

const copied = (key: string, etag = 'e', sizeBytes = 7): CopiedObject => ({
  key,
  etag,
  sizeBytes,
});
const listed = (key: string, more: Partial<SourceObject> = {}): SourceObject => ({
  ...copied(key),
  lastModified: '2026-11-01T00:00:00.000Z',
  storageClass: 'STANDARD',
  ...more,
});
const keysOf = (objects: readonly SourceObject[]) => objects.map(({ key }) => key);
const lastPage = (...entries: SourceObject[]) => ({ entries, next: null });
const page = (...entries: SourceObject[]) => ({
  entries,
  next: { key: entries.at(-1)?.key ?? '' },
});

describe('PageComparison', () => {
  const rows = [
    ['an unchanged object', listed('a/1'), true],
    [
      'an object rewritten with the same bytes',
      listed('a/1', { lastModified: '2026-11-20T00:00:00.000Z' }),
      true,
    ],
    ['an object in another class', listed('a/1', { storageClass: 'GLACIER' }), true],
    ['an object with other bytes', listed('a/1', { etag: 'f' }), false],
    ['an object of another size with the same ETag', listed('a/1', { sizeBytes: 8 }), false],
    ['an object that was never copied', listed('a/0'), false],
  ] as const;
  for (const [what, object, isBuffered] of rows) {
    it(`${isBuffered ? 'returns' : 'does not return'} ${what}`, () => {
      const comparison = new PageComparison([copied('a/1')], 'a/');
      assert.deepEqual(keysOf(comparison.take(lastPage(object))), isBuffered ? [object.key] : []);
      assert.equal(comparison.listAfter, undefined);
    });
  }

  it('does not return a deleted object', () => {
    const comparison = new PageComparison([copied('a/1'), copied('a/2')], null);
    assert.deepEqual(keysOf(comparison.take(lastPage(listed('a/2')))), ['a/2']);
  });

  it('continues after the listed keys, and ends with its last key, not with the bucket', () => {
    const comparison = new PageComparison([copied('b1'), copied('b2')], null);
    assert.equal(comparison.listAfter, 'b');
    assert.deepEqual(keysOf(comparison.take(page(listed('b0'), listed('b1')))), ['b1']);
    assert.equal(comparison.listAfter, 'b1');
    assert.deepEqual(keysOf(comparison.take(page(listed('b2'), listed('c')))), ['b2']);
    assert.equal(comparison.listAfter, undefined);
  });

  it('skips keys that the page does not hold', () => {
    const comparison = new PageComparison([copied('a/1'), copied('m/777')], 'a/');
    assert.deepEqual(keysOf(comparison.take(page(listed('a/1'), listed('a/2')))), ['a/1']);
    assert.equal(comparison.listAfter, 'm/77');
    assert.deepEqual(keysOf(comparison.take(page(listed('m/776'), listed('m/777')))), ['m/777']);
  });

  it('orders keys by their bytes, and splits no character', () => {
    const comparison = new PageComparison(
      [copied('\u{ffff}'), copied('x\u{1f600}')].reverse(),
      null,
    );
    assert.equal(comparison.listAfter, 'x');
    comparison.take(page(listed('x\u{1f600}')));
    assert.equal(comparison.listAfter, 'x\u{1f600}');
  });

  it('resumes after the last compared key', () => {
    const comparison = new PageComparison([copied('a'), copied('b'), copied('c')], 'b');
    assert.equal(comparison.listAfter, 'b');
    assert.deepEqual(keysOf(comparison.take(lastPage(listed('c')))), ['c']);
  });

  it('lists nothing where nothing was copied', () => {
    assert.equal(new PageComparison([], null).listAfter, undefined);
  });
});

describe('KnownGaps', () => {
  it('covers the keys before a listing and after its end', () => {
    const gaps = new KnownGaps();
    assert.equal(gaps.covers('a', 'b'), false);
    gaps.note('a/', lastPage(listed('c'), listed('d')));
    const ranges = [
      ['a/', 'b', true],
      ['a', 'b', false],
      [null, 'b', false],
      ['a/5', 'c', false],
      ['c', 'd', false],
      ['d', 'zzz', true],
    ] as const;
    for (const [after, last, isKnown] of ranges) {
      assert.equal(gaps.covers(after, last), isKnown, `${after} to ${last}`);
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
    assert.deepEqual(
      groups.list().map((group) => [group.prefix, group.ageBand, group.objects, group.bytes]),
      [
        ['a/', 0, 3, 14 + 2 ** 27],
        ['*', 0, 13, 42],
        ['/', 0, 1, 7],
        ['a/', 3, 1, 7],
      ],
    );
    assert.deepEqual(groups.list()[0], {
      prefix: 'a/',
      storageClass: 'STANDARD',
      ageBand: 0,
      objects: 3,
      bytes: 14 + 2 ** 27,
      smallObjects: 2,
      smallBytes: 14,
      partRequests: 3,
    });
  });
});
