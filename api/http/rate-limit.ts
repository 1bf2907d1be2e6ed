import { LRUCache } from 'lru-cache';
import type { RateWindows } from '../../adapters/mongo/accounts/rate-windows.ts';

const WINDOW_MS = 60_000;
/** Old windows are kept because the clocks of processes differ. */
const KEPT_WINDOWS = 5;
/** A process leases a twentieth of the limit at a time: few writes, few unused slots. */
const LEASES_PER_WINDOW = 20;
/** The least recently used subject is evicted; its leases stay counted in the database. */
const MAX_SUBJECTS = 20_000;

export interface RateLimiterDeps {
  readonly windows: Pick<RateWindows, 'lease' | 'forget'>;
  readonly now: () => Date;
  readonly onBackgroundError: (error: unknown) => void;
}

export interface RateLimiterOptions {
  /**
   * Counts the first portion of each subject in memory, and writes it together with the second one.
   * A flood from many subjects, few calls from each, writes nothing. All processes together may
   * exceed the limit by a portion for each process.
   */
  readonly writesLate?: boolean;
}

/**
 * Whether one more call of a subject fits into the current minute. Rejects if the counter fails.
 */
export type TakeSlot = (subject: string, limit: number) => Promise<boolean>;

interface RateSlots {
  left: number;
  /** Slots used before they were leased. */
  owed: number;
  usedUp: boolean;
  leasing: Promise<void> | undefined;
}

/**
 * Counts calls in fixed windows of one UTC minute. All processes together accept at most the limit,
 * a single process exactly the limit: each leases portions of the window until it is used up.
 */
export function createRateLimiter(
  { windows, now, onBackgroundError }: RateLimiterDeps,
  { writesLate = false }: RateLimiterOptions = {},
): TakeSlot {
  const subjects = new LRUCache<string, RateSlots>({ max: MAX_SUBJECTS });
  let current = Number.NaN;

  function findSlots(subject: string, limit: number, window: number): RateSlots {
    if (window !== current) {
      current = window;
      subjects.clear();
      windows.forget(new Date((window - KEPT_WINDOWS) * WINDOW_MS)).catch(onBackgroundError);
    }
    const existing = subjects.get(subject);
    if (existing) return existing;
    const owed = writesLate ? portionSize(limit) : 0;
    const slots: RateSlots = { left: owed, owed, usedUp: false, leasing: undefined };
    subjects.set(subject, slots);
    return slots;
  }

  async function lease(
    slots: RateSlots,
    subject: string,
    limit: number,
    window: number,
  ): Promise<void> {
    const { owed } = slots;
    const wanted = portionSize(limit) + owed;
    const startsAt = new Date(window * WINDOW_MS);
    const granted = await windows.lease({ subject, startsAt, limit, wanted });
    slots.left += Math.max(0, granted - owed);
    slots.owed = 0;
    slots.usedUp = granted < wanted;
  }

  return async (subject, limit) => {
    const window = Math.floor(now().getTime() / WINDOW_MS);
    const slots = findSlots(subject, limit, window);
    while (slots.left === 0) {
      if (slots.usedUp) return false;
      slots.leasing ??= lease(slots, subject, limit, window).finally(
        () => (slots.leasing = undefined),
      );
      await slots.leasing;
    }
    slots.left -= 1;
    return true;
  };
}

function portionSize(limit: number): number {
  return Math.ceil(limit / LEASES_PER_WINDOW);
}
