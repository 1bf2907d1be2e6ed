import type { MetricMeter } from '@temporalio/common';
import { CLOCK_SKEW, type StoreClocks } from '../adapters/object-store/store-clocks.ts';
import { OBJECT_OUTCOMES } from '../domain/migrations/object-ledger.ts';
import type { WorkMetrics } from '../activities/common/progress.ts';

/** The counters that `/metrics` shows in addition to Temporal's own. */
export function createWorkMetrics(meter: MetricMeter): WorkMetrics {
  const listed = meter.createCounter('objects_listed', 'objects', 'Objects that scans have read.');
  const settled = meter.createCounter(
    'migration_objects',
    'objects',
    'Objects that migrations have processed, by outcome.',
  );
  const copied = meter.createCounter(
    'migration_copied_bytes',
    'bytes',
    'Bytes that migrations have copied.',
  );
  return {
    listed: (objects) => listed.add(Math.max(0, objects)),
    migrated(change) {
      // Counters never decrease; an object that is copied again changes its outcome.
      for (const outcome of OBJECT_OUTCOMES)
        if (change[outcome] > 0) settled.add(change[outcome], { outcome });
      if (change.bytesCopied > 0) copied.add(change.bytesCopied);
    },
  };
}

/** Returns what sets the metric of the clock to the value of the moment. */
export function createClockMetric(meter: MetricMeter, clocks: StoreClocks): () => void {
  const { name, help } = CLOCK_SKEW;
  const gauge = meter.createGauge(name, 'float', 'seconds', help);
  return () => gauge.set(clocks.skew()?.seconds ?? 0);
}
