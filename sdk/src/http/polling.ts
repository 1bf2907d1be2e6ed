import { notify } from './callbacks.ts';
import { type Cancellable, throwIfAborted } from './deadline.ts';
import type { Settings } from './settings.ts';

/** The parameters of a poll. */
export interface Polling<Seen> extends Cancellable {
  look: () => Promise<Seen>;
  hasEnded: (seen: Seen) => boolean;
  pollMs: number;
  onProgress: ((seen: Seen) => void) | undefined;
}

/**
 * Polls until the state is final, and returns that state.
 *
 * @throws StorageRoutingError `aborted` by the signal, or where `onProgress` throws; the errors of a request.
 */
export async function poll<Seen>(settings: Settings, polling: Polling<Seen>): Promise<Seen> {
  const { look, hasEnded, pollMs, onProgress, signal } = polling;
  for (;;) {
    const seen = await look();
    notify('onProgress', onProgress, seen);
    if (hasEnded(seen)) return seen;
    await settings.sleep(pollMs, signal);
    throwIfAborted(signal);
  }
}
