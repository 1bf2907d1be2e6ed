import { type Cancellable, throwIfAborted } from './deadline.ts';
import { StorageRoutingError } from './errors.ts';
import type { Settings } from './settings.ts';

/** How to look again and again. */
export interface Polling<Seen> extends Cancellable {
  look: () => Promise<Seen>;
  hasEnded: (seen: Seen) => boolean;
  pollMs: number;
  onProgress: ((seen: Seen) => void) | undefined;
}

/**
 * Looks until it has ended, and gives the last look.
 *
 * @throws StorageRoutingError `aborted` by the signal, or where `onProgress` throws; what a look throws.
 */
export async function poll<Seen>(settings: Settings, polling: Polling<Seen>): Promise<Seen> {
  const { look, hasEnded, pollMs, onProgress, signal } = polling;
  for (;;) {
    const seen = await look();
    try {
      onProgress?.(seen);
    } catch (cause) {
      const message = 'onProgress threw, so nobody looks any more; what runs goes on';
      throw new StorageRoutingError({ code: 'aborted', message, cause });
    }
    if (hasEnded(seen)) return seen;
    await settings.sleep(pollMs, signal);
    throwIfAborted(signal);
  }
}
