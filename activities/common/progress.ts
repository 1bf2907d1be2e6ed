import type { MigrationCounts } from '../../domain/migrations/counts.ts';

/**
 * Reports the progress of the current activity to the server. If nothing is reported for the
 * heartbeat timeout, the server ends the attempt and starts another one, so only progress is
 * reported: no timer reports while a call hangs.
 *
 * The HTTP client of the stores reports each answer and each piece of a body by itself. Activities
 * report what they do besides.
 */
export interface Progress {
  /** `details` are kept for the next attempt; without them the last ones stay. */
  report(details?: object): void;
  /** @throws if the attempt is cancelled, or was taken for dead: another one begins */
  requireAlive(): void;
  /** Reports at intervals while a wait with a known end lasts, for `maxMs` at most. */
  reportWhile<T>(wait: Promise<T>, maxMs: number): Promise<T>;
}

/** Counters of the customers' data that a worker processes. */
export interface WorkMetrics {
  /** Objects read from a customer's listing since the last call. */
  listed(objects: number): void;
  /** Outcomes of a migration's objects since the last call. */
  migrated(change: MigrationCounts): void;
}
