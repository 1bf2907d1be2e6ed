import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { CopyCounts, PageSlice } from '../../../workflows/messages.ts';
import { createMigrationTable } from '../../../workflows/migration-table.ts';

const PLAN = { isWhole: true, pages: 10, objects: 100, bytes: 1_000 };
const OPENED = {
  migrationId: 'm',
  from: 'bucket/',
  provider: 'b2',
  to: 'b2:target/bucket/',
  approvedBy: 'owner',
  quotedUsd: 1,
  requestId: 'r',
} as const;
const HANDS = 4;

const counts = (copied: number): CopyCounts => ({
  copied,
  skipped: 0,
  failed: 0,
  bytesCopied: 10 * copied,
  bytesSettled: 10 * copied,
});
const slice = (page: number, copied: number, isDone: boolean): PageSlice => ({
  page,
  isDone,
  ...counts(copied),
});
const begun = () => {
  const table = createMigrationTable(undefined);
  table.plan(PLAN);
  table.begin('copying', 0);
  return table;
};

describe('the table of a running migration', () => {
  it('plans first, and counts nothing as settled', () => {
    const table = createMigrationTable(undefined);
    assert.equal(table.view().status, 'planning');
    assert.equal(table.view().progress.objectsTotal, 0);
    table.plan(PLAN);
    assert.equal(table.view().progress.objectsTotal, 100);
    assert.equal(table.view().progress.objectsCopied, 0);
  });

  it('takes figures of a page in place of its earlier ones while it copies', () => {
    const table = begun();
    const pages = table.take(HANDS);
    assert.deepEqual(pages, [0, 1]);
    table.note(pages, { pages: [slice(0, 4, false)], lastFailure: null }, 1_000);
    assert.equal(table.view().progress.objectsCopied, 4);
    assert.deepEqual(table.take(HANDS), [0, 1]);
    table.note([0, 1], { pages: [slice(0, 10, true)], lastFailure: 'target_differs' }, 2_000);
    assert.equal(table.view().progress.objectsCopied, 10);
    assert.equal(table.view().progress.bytesCopied, 100);
    assert.equal(table.lastFailure(), 'target_differs');
    assert.deepEqual(table.take(HANDS).slice(0, 1), [1]);
  });

  it('tells the rate of late, and when that makes an end of it', () => {
    const table = begun();
    assert.deepEqual([table.view().bytesPerSecond, table.view().etaSeconds], [0, null]);
    table.note([0], { pages: [slice(0, 10, true)], lastFailure: null }, 2_000);
    assert.deepEqual([table.view().bytesPerSecond, table.view().etaSeconds], [50, 18]);
    table.begin('verifying', 3_000);
    assert.deepEqual([table.view().bytesPerSecond, table.view().etaSeconds], [0, null]);
  });

  it('takes figures as changes while it verifies', () => {
    const table = begun();
    for (let page = 0; page < 10; page += 1)
      table.note([page], { pages: [slice(page, 10, true)], lastFailure: null }, 1);
    table.begin('verifying', 2);
    const change = { ...slice(3, -1, true), failed: 1, bytesSettled: 0 };
    table.note([3], { pages: [change], lastFailure: 'source_missing' }, 3);
    const { objectsCopied, objectsFailed, bytesCopied, bytesSettled } = table.view().progress;
    assert.deepEqual(
      [objectsCopied, objectsFailed, bytesCopied, bytesSettled],
      [99, 1, 990, 1_000],
    );
  });

  it('looks the seldomer at the work the longer it takes', () => {
    const table = begun();
    assert.deepEqual([0, 60_000, 600_000, 9e9].map(table.sliceMs), [2_000, 3_000, 30_000, 60_000]);
  });

  it('gives out every page until it is done, and hands over exactly what is left', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat({ max: 3 })), fc.nat({ max: 40 }), (chances, rounds) => {
        const done = new Set<number>();
        let table = begun();
        for (let round = 0; round < rounds; round += 1) {
          const pages = table.take(HANDS);
          const told = pages.slice(0, (chances.next().value ?? 0) + 1);
          const slices = told.map((page) => slice(page, 10, (chances.next().value ?? 0) > 0));
          for (const { page, isDone } of slices) if (isDone) done.add(page);
          table.note(pages, { pages: slices, lastFailure: null }, round);
          const before = table.view().progress;
          const carried = table.handOver(OPENED);
          assert.equal(carried === undefined, done.size === PLAN.pages);
          if (!carried) return;
          assert.equal(table.hasPages(), true);
          table = createMigrationTable(carried);
          assert.deepEqual(table.view().progress, before);
          assert.equal(table.view().status, 'copying');
        }
        assert.ok(rounds < 40 || done.size > 0);
      }),
    );
  });
});
