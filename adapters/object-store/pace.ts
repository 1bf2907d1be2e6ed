/** How many requests may be under way, found out from how the store takes them. */
export interface Pace {
  limit(): number;
  /** How long nothing may be sent now. */
  pauseMs(): number;
  succeeded(): void;
  /** A request that was sent then was turned away or lost, for the `attempt`th time, from 1. */
  refused(sentAtMs: number, attempt: number): void;
}

export interface PaceDeps {
  readonly now: () => number;
  /** From 0 to 1, 1 left out. */
  readonly random: () => number;
}

/** Where nothing is known of a store yet. */
export const FIRST_LIMIT = 4;
const MAX_LIMIT = 32;
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 10_000;

/**
 * One more after each success, half after a refusal. Requests that were sent before the last halving
 * say nothing new: the store refuses them for the same crowd.
 */
export function createPace(
  { now, random }: PaceDeps,
  firstLimit: number,
  maxLimit = MAX_LIMIT,
): Pace {
  let limit = Math.min(Math.max(Math.floor(firstLimit), 1), maxLimit);
  let halvedAtMs = Number.NEGATIVE_INFINITY;
  let pausedUntilMs = Number.NEGATIVE_INFINITY;
  return {
    limit: () => limit,
    pauseMs: () => Math.max(0, pausedUntilMs - now()),
    succeeded() {
      limit = Math.min(limit + 1, maxLimit);
    },
    refused(sentAtMs, attempt) {
      const nowMs = now();
      const longestMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS);
      // Between half and all of it, so that many workers do not come back at the same moment.
      pausedUntilMs = Math.max(pausedUntilMs, nowMs + longestMs * (0.5 + random() / 2));
      if (sentAtMs < halvedAtMs) return;
      halvedAtMs = nowMs;
      limit = Math.max(1, Math.floor(limit / 2));
    },
  };
}
