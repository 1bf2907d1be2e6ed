import { NO_COUNTS, settledObjects } from './counts.ts';
import type {
  Confirmed,
  MigrationProgress,
  MigrationRecord,
  MigrationStatus,
} from './migration.ts';
import { roundId } from './rounds.ts';

export type ConfirmedProgress = MigrationProgress & Confirmed;

/** Confirmed bytes of a page at a time, in milliseconds since the epoch. */
export interface ByteSample {
  readonly atMs: number;
  readonly bytes: number;
}

/** The rate of a migration is the average of this time. */
export const RATE_WINDOW_MS = 30_000;
/** The shortest time that a rate is the average of. */
const MIN_WINDOW_MS = 1_000;

/**
 * Whole percent, by bytes; by objects if no object holds a byte. 100 only if every object has an
 * outcome.
 *
 * | objects | with an outcome | bytes | of those | in flight | percent |
 * | ------- | --------------- | ----- | -------- | --------- | ------- |
 * | 2       | 2               | 100   | 100      | 0         | 100     |
 * | 2       | 1               | 100   | 20       | 0         | 20      |
 * | 2       | 1               | 100   | 20       | 64        | 84      |
 * | 2       | 1               | 100   | 20       | 80        | 99      |
 * | 4       | 1               | 0     | 0        | 0         | 25      |
 */
export function toPercent(
  progress: ConfirmedProgress,
  // A relocation drains once all its files are moved.
  status: MigrationStatus | 'draining',
): number {
  const { objectsTotal, bytesTotal, counts } = progress;
  const settled = settledObjects(counts);
  if (settled >= objectsTotal) return status === 'planning' ? 0 : 100;
  const [part, whole] =
    bytesTotal > 0 ? [confirmedBytes(progress), bytesTotal] : [settled, objectsTotal];
  return Math.min(99, Math.floor((100 * part) / whole));
}

/** The progress by the stored manifest and ledger. Undefined: the migration has not begun. */
export function storedProgress(
  record: MigrationRecord | undefined,
  confirmed: ReadonlyMap<string, Confirmed>,
): ConfirmedProgress {
  const { objects: objectsTotal = 0, bytes: bytesTotal = 0 } = record?.manifest ?? {};
  const inFlight = record && confirmed.get(roundId(record));
  return {
    objectsTotal,
    bytesTotal,
    counts: record?.finalCounts ?? inFlight?.counts ?? NO_COUNTS,
    bytesInFlight: record?.finalCounts ? 0 : (inFlight?.bytesInFlight ?? 0),
  };
}

/** The seconds until all bytes are confirmed at this rate; null if nothing moves. */
export function secondsLeft(progress: ConfirmedProgress, bytesPerSecond: number): number | null {
  if (bytesPerSecond <= 0) return null;
  const left = Math.max(0, progress.bytesTotal - confirmedBytes(progress));
  return Math.ceil(left / bytesPerSecond);
}

function confirmedBytes({ counts, bytesInFlight }: ConfirmedProgress): number {
  return counts.bytesSettled + bytesInFlight;
}

/** The series with one more sample, as far as the rate window reaches back from it. */
export function addSample(samples: readonly ByteSample[], added: ByteSample): ByteSample[] {
  const sinceMs = added.atMs - RATE_WINDOW_MS;
  const first = samples.findLastIndex(({ atMs }) => atMs <= sinceMs);
  return [...samples.slice(Math.max(0, first)), added];
}

/**
 * The rate of a migration over the last 30 seconds, or since it began to copy.
 *
 * @param series the samples of each page that has changed in that time
 */
export function recentBytesPerSecond(
  series: readonly (readonly ByteSample[])[],
  { nowMs, beganMs }: { readonly nowMs: number; readonly beganMs: number },
): number {
  const windowMs = Math.min(RATE_WINDOW_MS, Math.max(MIN_WINDOW_MS, nowMs - beganMs));
  const bytes = series.reduce((sum, samples) => sum + bytesSince(samples, nowMs - windowMs), 0);
  return Math.round((1_000 * bytes) / windowMs);
}

/** A later series counts from its first sample; bytes that are lost again count as none. */
function bytesSince(samples: readonly ByteSample[], sinceMs: number): number {
  const sample = samples.findLast(({ atMs }) => atMs <= sinceMs) ?? samples[0];
  const last = samples.at(-1);
  return sample && last ? Math.max(0, last.bytes - sample.bytes) : 0;
}
