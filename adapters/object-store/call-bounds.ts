import { firstAbort } from '../abort-signals.ts';
import { backoff, retryTransient, type RetryOptions } from '../retry.ts';
import { StoreError } from './errors.ts';

const REFUSED = { firstMs: 200, maxMs: 10_000 } as const;

/**
 * How long calls to customers' stores may take, in milliseconds, and how often they are tried.
 * Attempts include the first one. After the last one Temporal repeats the activity, or the API's
 * caller its call.
 */
export const STORE_CALLS = {
  /** How long a store may neither send nor receive. */
  idleMs: 15_000,
  /** The same while a store assembles parts, for minutes maybe: some send nothing meanwhile. */
  assembleIdleMs: 120_000,

  /** Calls that a caller of the API waits for. */
  api: {
    callMs: 4_000,
    /** One call of a provider's test, which makes up to five. */
    checkMs: 3_000,
    /** One call of an approval's trial of its target, which ends with the first that fails. */
    trialMs: 8_000,
    /** All that `complete` has. A store may need longer; a repeat finds what it has done. */
    assembleMs: 15_000,
  },
  /** Calls of an upload's activities, whose time limit is three times as long. */
  upload: {
    callMs: 10_000,
    /** The workflow's task waits for it. */
    quickCallMs: 2_000,
  },
  scan: {
    callMs: 10_000,
    attempts: 8,
  },
  /** Calls of a migration are bounded in silence only. */
  migration: {
    callAttempts: 5,
    /** For a part, or a completion, while a store is not available: some minutes. */
    partAttempts: 30,
    /** For a part whose bytes do not arrive as they were sent. */
    brokenPartAttempts: 3,
    objectAttempts: 5,
    /** Copies of an object, or of a part, of which the target then holds other bytes. */
    differingAttempts: 2,
    /** A check in another process may have deleted the canary between the write and the read. */
    canaryAttempts: 5,
    /** The delete or abort of what a failed copy leaves, all attempts together. */
    cleanUpMs: 10_000,
    cleanUpAttempts: 3,
    /** The pause after the nth failure of a call or a part. */
    pauseMs: backoff(REFUSED),
  },
  /** The pause of all requests to a bucket after the nth refusal of one. */
  refused: REFUSED,
} as const;

/** Bounds a call to a store. */
export interface CallOptions {
  /** When it is aborted, its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The signal does not abort a request whose last byte has been sent, because the store may carry
   * it out: its answer is awaited.
   */
  readonly keepsSent?: boolean | undefined;
  /** Bounds the whole call; without it only the store's silence is bounded. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Runs one call or several within one time-out and one signal.
 *
 * @throws StoreError `timed_out`; the signal's reason; and what the call throws
 */
export async function withinBounds<Result>(
  { timeoutMs, signal }: CallOptions,
  call: (bounds: { readonly signal: AbortSignal | undefined }) => Promise<Result>,
): Promise<Result> {
  if (timeoutMs === undefined) return await call({ signal });
  const timeout = AbortSignal.timeout(timeoutMs);
  const bounds = firstAbort([signal, timeout]);
  try {
    return await call({ signal: bounds.signal });
  } catch (error) {
    if (timeout.aborted && error === timeout.reason) throw new StoreError('timed_out', error);
    throw error;
  } finally {
    bounds.release();
  }
}

export interface RetryCallOptions extends Partial<RetryOptions> {
  readonly signal: AbortSignal;
}

/** Repeats a call of a migration after a transient failure. @throws StoreError or the reason */
export function retryCall<Result>(
  { attempts = STORE_CALLS.migration.callAttempts, signal, isTransient, wait }: RetryCallOptions,
  call: () => Promise<Result>,
): Promise<Result> {
  const delayMs = STORE_CALLS.migration.pauseMs;
  return retryTransient({ attempts, delayMs, signal, isTransient, wait }, call);
}
