import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { NOTHING_YET } from '../../../domain/scan/scan.ts';
import type { BucketSlice } from '../../../messages/scan.ts';
import { createScanState } from '../../../workflows/scan-state.ts';

const slice = (name: string, objects: number, done: boolean): BucketSlice => ({
  name,
  done,
  error: null,
  objects,
  bytes: 10 * objects,
  list: objects,
  other: 1,
  costUsd: 0.5 * objects,
});

const started = (
  buckets: number,
  more: Partial<typeof NOTHING_YET> & { migrations?: number } = {},
) => {
  const state = createScanState(undefined);
  state.setBuckets({ ...NOTHING_YET, buckets, ...more });
  return state;
};
type State = ReturnType<typeof started>;
/** The next run, from what this one passes on. */
const nextRun = (state: State) =>
  createScanState(JSON.parse(JSON.stringify(state.toContinueAsNew())) as never);

describe('the state of a running scan', () => {
  it('is queued until its buckets are listed', () => {
    const state = createScanState(undefined);
    assert.equal(state.view().status, 'queued');
    state.setBuckets({ ...NOTHING_YET, buckets: 2, list: 1 });
    assert.deepEqual(state.view(), {
      status: 'running',
      progress: { bucketsTotal: 2, bucketsDone: 0, objects: 0, bytes: 0 },
      requests: { list: 1, other: 0, costUsd: 0 },
    });
  });

  it('shows the latest 40 buckets, the newest first', () => {
    const state = started(300);
    for (let bucket = 0; bucket < 300; bucket += 1) {
      state.note(state.take() ?? -1, slice(`bucket-${bucket}`, 1, true));
    }
    assert.equal(state.shown().length, 40);
    assert.equal(state.shown()[0]?.name, 'bucket-299');
    state.setBuckets({ ...NOTHING_YET, buckets: 301 });
    const next = nextRun(state);
    assert.deepEqual(next.shown(), state.shown());
    next.note(next.take() ?? -1, slice('bucket-300', 1, true));
    assert.deepEqual([next.shown().length, next.shown()[0]?.name], [40, 'bucket-300']);
  });

  it('says of a shown bucket whether it is read, done or failed', () => {
    const state = started(3);
    state.note(state.take() ?? -1, slice('a', 1, false));
    state.note(state.take() ?? -1, slice('b', 2, true));
    state.note(state.take() ?? -1, { ...slice('c', 0, true), error: 'access denied' });
    assert.deepEqual(state.shown(), [
      { name: 'c', objects: 0, bytes: 0, state: 'failed', error: 'access denied' },
      { name: 'b', objects: 2, bytes: 20, state: 'done', error: null },
      { name: 'a', objects: 1, bytes: 10, state: 'reading', error: null },
    ]);
  });

  it('reconciles the sources of migrations, also in the next run', () => {
    const plain = started(0);
    assert.deepEqual([plain.needsReconciliation(), plain.toContinueAsNew()], [false, undefined]);

    const state = started(0, { list: 1, migrations: 2 });
    assert.equal(state.needsReconciliation(), true);
    state.noteReconciliation({ done: false, list: 5, other: 0, costUsd: 0.5 });
    const next = nextRun(state);
    assert.equal(next.needsReconciliation(), true);
    assert.deepEqual(next.view().requests, { list: 6, other: 0, costUsd: 0.5 });
    next.noteReconciliation({ done: true, list: 7, other: 0, costUsd: 0.7 });
    assert.deepEqual([next.needsReconciliation(), next.toContinueAsNew()], [false, undefined]);
    assert.equal(next.view().requests.list, 8);
  });

  it('keeps every figure when a run continues as new at any moment', () => {
    const steps = fc.array(fc.record({ done: fc.boolean(), toContinueAsNew: fc.boolean() }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 20 }), (moves, buckets) => {
        let state = started(buckets);
        const expected = new Map<number, number>();
        let count = 0;
        for (const { done, toContinueAsNew } of moves) {
          const bucket = state.take();
          if (bucket === undefined) break;
          count += 1;
          expected.set(bucket, count);
          state.note(bucket, slice(`b${bucket}`, count, done));
          const before = state.view();
          if (toContinueAsNew && state.toContinueAsNew()) {
            state = nextRun(state);
            assert.deepEqual(state.view(), before);
          }
        }
        const sum = [...expected.values()].reduce((a, b) => a + b, 0);
        const { objects, bytes } = state.view().progress;
        assert.deepEqual([objects, bytes], [sum, 10 * sum]);
      }),
    );
  });
});
