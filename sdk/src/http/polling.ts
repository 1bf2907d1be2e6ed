import { notify } from './errors.ts';
import { throwIfAborted } from './deadline.ts';
import type { Settings } from './settings.ts';
import type { CallOptions } from './transport.ts';

/** Options of a wait for the end of a scan, a migration or a release check. */
export interface PollOptions<State> extends CallOptions {
  /** Polling interval in milliseconds; default 2,000. */
  pollMs?: number | undefined;
  /** Called with each state. An exception ends the polling. */
  onProgress?: ((state: State) => void) | undefined;
}

const POLL_MS = 2_000;

export const isCompleted = ({ completedAt }: { completedAt: string | null }) =>
  completedAt !== null;

/**
 * Polls until the work has ended, and returns its last state.
 *
 * @throws StorageRoutingError `aborted` by the signal, or if `onProgress` throws; the errors of a
 *   request.
 */
export async function poll<State>(
  settings: Settings,
  read: (options: CallOptions) => Promise<State>,
  { pollMs = POLL_MS, onProgress, ...options }: PollOptions<State>,
  hasEnded: (state: State) => boolean,
): Promise<State> {
  for (;;) {
    const state = await read(options);
    notify('onProgress', onProgress, state);
    if (hasEnded(state)) return state;
    await settings.sleep(pollMs, options.signal);
    throwIfAborted(options.signal);
  }
}
