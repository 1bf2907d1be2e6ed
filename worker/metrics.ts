import type { MetricMeter } from '@temporalio/common';
import type { WorkMetrics } from '../activities/metrics.ts';

/** Beside Temporal's own figures at `/metrics`: how much of the customers' data went through. */
export function createWorkMetrics(meter: MetricMeter): WorkMetrics {
  const listed = meter.createCounter('objects_listed', 'objects', 'Objects that scans have read.');
  const settled = meter.createCounter(
    'migration_objects',
    'objects',
    'Objects that migrations have settled, by outcome.',
  );
  const copied = meter.createCounter(
    'migration_copied_bytes',
    'bytes',
    'Bytes that migrations have copied.',
  );
  return {
    listed: (objects) => listed.add(Math.max(0, objects)),
    settled(change) {
      // Counters do not go back; an object that is copied once more changes its outcome.
      for (const outcome of ['copied', 'skipped', 'failed'] as const)
        if (change[outcome] > 0) settled.add(change[outcome], { outcome });
      if (change.bytesCopied > 0) copied.add(change.bytesCopied);
    },
  };
}
