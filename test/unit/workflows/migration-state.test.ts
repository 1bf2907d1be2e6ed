import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { NO_COUNTS, type MigrationCounts } from '../../../domain/migrations/counts.ts';
import type { PageSlice } from '../../../messages/migration.ts';
import { MigrationState } from '../../../workflows/migration-state.ts';
import { OPENED_MIGRATION } from '../../harness/opened-migration.ts';

const MANIFEST = { isWhole: true, pages: 10, objects: 100, bytes: 1_000 };
const CONCURRENCY = 4;

function copiedObjects(copied: number): MigrationCounts {
  const bytes = { bytesCopied: 10 * copied, bytesSettled: 10 * copied };
  return { ...NO_COUNTS, copied, tried: copied, ...bytes };
}
function slice(page: number, copied: number, isDone: boolean): PageSlice {
  return { page, isDone, counts: copiedObjects(copied) };
}
const copying = () => {
  const state = new MigrationState();
  state.setManifest(MANIFEST);
  state.begin('copying', 0);
  return state;
};

describe('the state of a running migration', () => {
  it('plans, then replaces the counts of a page by later ones while it copies', () => {
    const planning = new MigrationState().view();
    assert.deepEqual([planning.status, planning.progress.objectsTotal], ['planning', 0]);
    const state = copying();
    assert.equal(state.view().progress.objectsTotal, 100);
    const pages = state.take(CONCURRENCY);
    assert.deepEqual(pages, [0, 1]);
    state.note(pages, { pages: [slice(0, 4, false)], lastFailure: null }, 1_000);
    assert.equal(state.view().progress.counts.copied, 4);
    assert.deepEqual(state.take(CONCURRENCY), [0, 1]);
    state.note([0, 1], { pages: [slice(0, 10, true)], lastFailure: 'target_differs' }, 2_000);
    assert.equal(state.view().progress.counts.copied, 10);
    assert.equal(state.view().progress.counts.bytesCopied, 100);
    assert.equal(state.lastFailure, 'target_differs');
    assert.deepEqual(state.take(CONCURRENCY).slice(0, 1), [1]);
  });

  it('shows the recent rate while it copies', () => {
    const state = copying();
    assert.equal(state.bytesPerSecond(), 0);
    state.note([0], { pages: [slice(0, 10, true)], lastFailure: null }, 2_000);
    assert.equal(state.bytesPerSecond(), 50);
    state.begin('verifying', 3_000);
    assert.equal(state.bytesPerSecond(), 0);
  });

  it('shows a cancellation with the counts of the slices that still end, and then what is stored', () => {
    const state = copying();
    state.note([0], { pages: [slice(0, 10, true)], lastFailure: null }, 2_000);
    state.cancel();
    state.note([1], { pages: [slice(1, 3, false)], lastFailure: null }, 3_000);
    const view = state.view();
    assert.deepEqual([view.status, state.bytesPerSecond()], ['cancelling', 0]);
    assert.equal(view.progress.counts.copied, 13);
    state.end('cancelled', copiedObjects(14));
    assert.equal(state.view().status, 'cancelled');
    assert.equal(state.view().progress.counts.copied, 14);
  });

  it('adds the counts of a page as changes while it verifies', () => {
    const state = copying();
    for (let page = 0; page < 10; page += 1)
      state.note([page], { pages: [slice(page, 10, true)], lastFailure: null }, 1);
    state.begin('verifying', 2);
    const counts = { ...copiedObjects(-1), failed: 1, bytesSettled: 0 };
    const end = { page: 3, isDone: true, counts };
    state.note([3], { pages: [end], lastFailure: 'source_missing' }, 3);
    const { copied, failed, bytesCopied, bytesSettled } = state.view().progress.counts;
    assert.deepEqual([copied, failed, bytesCopied, bytesSettled], [99, 1, 990, 1_000]);
  });

  it('lengthens the slices with the elapsed time', () => {
    const state = copying();
    assert.deepEqual(
      [0, 60_000, 600_000, 9e9].map((nowMs) => state.sliceMs(nowMs)),
      [2_000, 3_000, 30_000, 60_000],
    );
  });

  it('gives out every page until it is done, and passes on exactly what is left', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat({ max: 3 })), fc.nat({ max: 40 }), (chances, rounds) => {
        const done = new Set<number>();
        let state = copying();
        for (let round = 0; round < rounds; round += 1) {
          const pages = state.take(CONCURRENCY);
          const reported = pages.slice(0, (chances.next().value ?? 0) + 1);
          const slices = reported.map((page) => slice(page, 10, (chances.next().value ?? 0) > 0));
          for (const { page, isDone } of slices) if (isDone) done.add(page);
          state.note(pages, { pages: slices, lastFailure: null }, round);
          const before = state.view().progress;
          assert.equal(state.hasPages(), done.size < MANIFEST.pages);
          if (!state.hasPages()) return;
          state = new MigrationState(state.toContinueAsNew(OPENED_MIGRATION));
          assert.deepEqual(state.view().progress, before);
          assert.equal(state.view().status, 'copying');
        }
        assert.ok(rounds < 40 || done.size > 0);
      }),
    );
  });
});
