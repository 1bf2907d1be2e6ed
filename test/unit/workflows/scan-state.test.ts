import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { NOTHING_YET } from '../../../domain/scans/scan.ts';
import type { BucketSlice } from '../../../messages/scan.ts';
import { ScanState } from '../../../workflows/scan-state.ts';

function slice(name: string, objects: number, done: boolean): BucketSlice {
  const requests = { list: objects, other: 1, costUsd: 0.5 * objects };
  return { name, done, error: null, objects, bytes: 10 * objects, ...requests };
}

const started = (buckets: number, more: object = {}) => {
  const state = new ScanState(undefined);
  state.setBuckets({ ...NOTHING_YET, buckets, ...more });
  return state;
};
type State = ReturnType<typeof started>;
/** The next run, from what this one passes on. */
const nextRun = (state: State) =>
  new ScanState(JSON.parse(JSON.stringify(state.toContinueAsNew())) as never);

describe('the state of a running scan', () => {
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
    const error = 'access denied';
    next.note(next.take() ?? -1, { ...slice('bucket-300', 1, true), error });
    const failed = { name: 'bucket-300', objects: 1, bytes: 10, state: 'failed', error };
    assert.deepEqual([next.shown().length, next.shown()[0]], [40, failed]);
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
