import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { NOTHING_YET } from '../../../domain/scan/scan.ts';
import { createScanState, type BucketSlice } from '../../../workflows/scan-state.ts';

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

describe('the table of a running scan', () => {
  it('is queued until it has a plan', () => {
    const table = createScanState(undefined);
    assert.equal(table.view().status, 'queued');
    table.plan({ ...NOTHING_YET, buckets: 2, list: 1 });
    assert.deepEqual(table.view(), {
      status: 'running',
      progress: { bucketsTotal: 2, bucketsDone: 0, objects: 0, bytes: 0 },
      requests: { list: 1, other: 0, costUsd: 0 },
    });
  });

  it('takes figures of a bucket in place of its earlier ones', () => {
    const table = createScanState(undefined);
    table.plan({ ...NOTHING_YET, buckets: 1 });
    assert.equal(table.take(), 0);
    assert.equal(table.take(), undefined);
    table.note(0, slice('a', 5, false));
    table.note(0, slice('a', 8, false));
    assert.equal(table.view().progress.objects, 8);
    table.note(0, slice('a', 9, true));
    assert.deepEqual(table.view().progress, {
      bucketsTotal: 1,
      bucketsDone: 1,
      objects: 9,
      bytes: 90,
    });
    assert.equal(table.toContinueAsNew(), undefined);
  });

  it('shows the latest buckets first, and not all of many', () => {
    const table = createScanState(undefined);
    table.plan({ ...NOTHING_YET, buckets: 300 });
    for (let bucket = 0; bucket < 300; bucket += 1) {
      table.note(table.take() ?? -1, slice(`bucket-${bucket}`, 1, true));
    }
    assert.equal(table.shown().length, 40);
    assert.equal(table.shown()[0]?.name, 'bucket-299');
  });

  it('looks back where there are migrations, also in the next run', () => {
    const plain = createScanState(undefined);
    plain.plan({ ...NOTHING_YET, buckets: 0 });
    assert.deepEqual([plain.needsReconciliation(), plain.toContinueAsNew()], [false, undefined]);

    const table = createScanState(undefined);
    table.plan({ ...NOTHING_YET, buckets: 0, list: 1, migrations: 2 });
    assert.equal(table.needsReconciliation(), true);
    table.noteReconciliation({ done: false, list: 5, other: 0, costUsd: 0.5 });
    const next = createScanState(JSON.parse(JSON.stringify(table.toContinueAsNew())));
    assert.equal(next.needsReconciliation(), true);
    assert.deepEqual(next.view().requests, { list: 6, other: 0, costUsd: 0.5 });
    next.noteReconciliation({ done: true, list: 7, other: 0, costUsd: 0.7 });
    assert.deepEqual([next.needsReconciliation(), next.toContinueAsNew()], [false, undefined]);
    assert.equal(next.view().requests.list, 8);
  });

  it('loses nothing where a run hands over to the next, at any moment', () => {
    const steps = fc.array(fc.record({ done: fc.boolean(), toContinueAsNew: fc.boolean() }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 20 }), (moves, buckets) => {
        let table = createScanState(undefined);
        table.plan({ ...NOTHING_YET, buckets });
        const expected = new Map<number, number>();
        let count = 0;
        for (const { done, toContinueAsNew } of moves) {
          const bucket = table.take();
          if (bucket === undefined) break;
          count += 1;
          expected.set(bucket, count);
          table.note(bucket, slice(`b${bucket}`, count, done));
          const before = table.view();
          const carried = table.toContinueAsNew();
          if (toContinueAsNew && carried) {
            table = createScanState(JSON.parse(JSON.stringify(carried)));
            assert.deepEqual(table.view(), before);
          }
        }
        const sum = [...expected.values()].reduce((a, b) => a + b, 0);
        assert.equal(table.view().progress.objects, sum);
      }),
    );
  });
});
