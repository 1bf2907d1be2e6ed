import { setMaxListeners } from 'node:events';
import { MigrationStopError } from '../../domain/migrations/stop.ts';

export type MigrationWatch = ReturnType<typeof watchMigration>;

/** How long a worker that was presumed dead may still write at the target after the end. */
const INTERVAL_MS = 1_000;
const MAX_AGE_MS = 2_000;

/**
 * Stops a slice whose migration is cancelled, or ends without it, by what `readOpen` says. The workflow awaits every slice
 * that it knows to run. The database shows a cancel within a second, a heartbeat's response within
 * ten, and a worker without a connection to Temporal never learns of it otherwise.
 */
export function watchMigration(readOpen: () => Promise<boolean>, aborting: AbortSignal) {
  const ended = new AbortController();
  const signal = AbortSignal.any([aborting, ended.signal]);
  // Every object in flight adds a listener.
  setMaxListeners(0, signal);

  let seenOpenAtMs = Number.NEGATIVE_INFINITY;

  /** @throws MigrationStop if it is being cancelled, or its end is written or being written */
  async function requireOpen(): Promise<void> {
    const askedAtMs = performance.now();
    if (await readOpen()) {
      seenOpenAtMs = askedAtMs;
      return;
    }
    const error = new MigrationStopError('internal_error', 'It is cancelled or has ended.');
    ended.abort(error);
    throw error;
  }

  /** The same if the last check is too old: the process was paused, or the database is silent. */
  async function confirmOpen(): Promise<void> {
    if (performance.now() - seenOpenAtMs > MAX_AGE_MS) await requireOpen();
  }

  // A database that does not answer stops the slice by itself.
  const timer = setInterval(() => void requireOpen().catch(() => undefined), INTERVAL_MS);
  const close = () => clearInterval(timer);
  return { signal, requireOpen, confirmOpen, close };
}
