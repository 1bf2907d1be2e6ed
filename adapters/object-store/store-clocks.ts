/** How far from ours the clock of a store is that has refused a signature for its time. */
export interface ClockSkew {
  /** Positive where the store is ahead. */
  readonly seconds: number;
}

/** The metric of the latest skew. */
export const CLOCK_SKEW = {
  name: 'clock_skew_seconds',
  help: 'How far the clock of the store that refused a signature for its time, within the last hour, is ahead of that of this process; 0 if none did.',
} as const;

/** A store's time at one moment of a clock that is never set. */
interface StoreTime {
  readonly timeMs: number;
  readonly atMs: number;
}

const SKEWED_MS = 3_600_000;

/**
 * The clocks of stores, by endpoint. A store takes a signature only within some minutes of its own
 * time, so that a wrong clock of ours is a fault of the service, and not of a customer's
 * credentials: from the first such refusal on, requests to that endpoint are signed with its time.
 */
export type StoreClocks = ReturnType<typeof createStoreClocks>;

/** `monotonicMs` is not affected when the clock is set: an answer's time stays valid. */
export function createStoreClocks(now = () => new Date(), monotonicMs = () => performance.now()) {
  const times = new Map<string, StoreTime>();
  let latest: { readonly endpoint: string; readonly atMs: number } | undefined;

  function aheadMs(endpoint: string): number {
    const time = times.get(endpoint);
    return time ? time.timeMs + monotonicMs() - time.atMs - now().getTime() : 0;
  }

  return {
    now,
    /** A time as the store's clock shows it; the same time for a store that has refused none. */
    toStoreTime: (endpoint: string, time: Date) =>
      times.has(endpoint) ? new Date(time.getTime() + aheadMs(endpoint)) : time,
    /** The store has refused a signature for its time; `date`: the `Date` of its answer. */
    noteRefusal(endpoint: string, date = ''): void {
      const timeMs = Date.parse(date);
      const atMs = monotonicMs();
      latest = { endpoint, atMs };
      if (!Number.isNaN(timeMs)) times.set(endpoint, { timeMs, atMs });
    },
    /** By the latest refusal; undefined if there was none within the last hour. */
    skew(): ClockSkew | undefined {
      if (!latest || monotonicMs() - latest.atMs >= SKEWED_MS) return undefined;
      return { seconds: Math.round(aheadMs(latest.endpoint) / 1_000) };
    },
  };
}
