import type { RateWindows } from '../../adapters/mongo/rate-windows.ts';

const WINDOW_MS = 60_000;
/** Windows are kept, because the clocks of processes differ. */
const KEPT_WINDOWS = 5;
/** A process leases a twentieth of the limit at a time: few writes, few unused slots. */
const LEASES_PER_WINDOW = 20;

export interface RateLimiterDeps {
  readonly windows: RateWindows;
  readonly now: () => Date;
  readonly onBackgroundError: (error: unknown) => void;
}

/** Whether one more call of a subject fits into the current minute. Rejects where the counter fails. */
export type TakeSlot = (subject: string, limit: number) => Promise<boolean>;

interface Slots {
  left: number;
  usedUp: boolean;
  leasing: Promise<void> | undefined;
}

/**
 * Counts calls in fixed windows of one UTC minute. All processes together accept at most the limit, a
 * single process exactly the limit: each leases portions of the window until it is used up.
 */
export function createRateLimiter({ windows, now, onBackgroundError }: RateLimiterDeps): TakeSlot {
  let current = Number.NaN;
  let subjects = new Map<string, Slots>();

  function slotsOf(subject: string, window: number): Slots {
    if (window !== current) {
      current = window;
      subjects = new Map();
      windows.forget(new Date((window - KEPT_WINDOWS) * WINDOW_MS)).catch(onBackgroundError);
    }
    const slots = subjects.get(subject) ?? { left: 0, usedUp: false, leasing: undefined };
    subjects.set(subject, slots);
    return slots;
  }

  async function lease(
    slots: Slots,
    subject: string,
    limit: number,
    window: number,
  ): Promise<void> {
    const wanted = Math.ceil(limit / LEASES_PER_WINDOW);
    const startsAt = new Date(window * WINDOW_MS);
    const granted = await windows.lease({ subject, startsAt, limit, wanted });
    slots.left += granted;
    slots.usedUp = granted < wanted;
  }

  return async (subject, limit) => {
    const window = Math.floor(now().getTime() / WINDOW_MS);
    const slots = slotsOf(subject, window);
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
