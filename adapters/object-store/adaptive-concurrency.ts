import { backoff } from '../retry.ts';

/** An adaptive (AIMD) limit on the requests that are sent at once. */
export interface AdaptiveConcurrency {
  limit(): number;
  /** How long no request may be sent from now on. */
  pauseMs(): number;
  succeeded(): void;
  /** A request sent at that time was refused or lost, in its nth attempt, counted from 1. */
  refused(sentAtMs: number, attempt: number): void;
}

export interface AdaptiveConcurrencyDeps {
  readonly now: () => number;
  /** From 0 to 1, 1 excluded. */
  readonly random: () => number;
}

/** For a store of which nothing is known yet. */
export const FIRST_LIMIT = 4;
const MAX_LIMIT = 32;
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 10_000;

/**
 * One more after each success, half after a refusal. The refusal of a request that was sent before
 * the last halving does not halve again: it has the same cause.
 */
export function createAdaptiveConcurrency(
  { now, random }: AdaptiveConcurrencyDeps,
  firstLimit: number,
  maxLimit = MAX_LIMIT,
): AdaptiveConcurrency {
  const delayMs = backoff({ firstMs: FIRST_PAUSE_MS, maxMs: MAX_PAUSE_MS, random });
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
      pausedUntilMs = Math.max(pausedUntilMs, nowMs + delayMs(attempt));
      if (sentAtMs < halvedAtMs) return;
      halvedAtMs = nowMs;
      limit = Math.max(1, Math.floor(limit / 2));
    },
  };
}
