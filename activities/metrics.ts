import type { MigrationCounts } from '../domain/migration/counts.ts';

/** Counters of the customers' data that a worker processes. */
export interface WorkMetrics {
  /** Objects read from a customer's listing since the last call. */
  listed(objects: number): void;
  /** Outcomes of a migration's objects since the last call. */
  migrated(change: MigrationCounts): void;
}
