import { setTimeout as wait } from 'node:timers/promises';
import type { Reply } from './http.ts';

export const CALLERS = 16;

export interface LoadResult {
  /** Calls with the expected status. */
  readonly calls: number;
  /** The other answers, by status; 0 where none came. */
  readonly others: ReadonlyMap<number, number>;
  readonly seconds: number;
  /** How long each call with the expected status took. */
  readonly ms: readonly number[];
}

export interface LoadOptions {
  readonly callers: number;
  readonly seconds: number;
  readonly expected: number;
  /** Of all callers together, at an even pace; without it each sends as soon as it has an answer. */
  readonly perSecond?: number;
  /** The next call; undefined where there are no more files. */
  readonly next: () => (() => Promise<Reply>) | undefined;
}

/**
 * Each caller sends one call after the other, until the time is over or no call is left. A call at a pace counts from
 * the time when it was due, so that one slow answer does not hide the calls behind it.
 */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const ms: number[] = [];
  const others = new Map<number, number>();
  const startedAt = performance.now();
  const until = startedAt + options.seconds * 1000;
  const paceMs = (options.callers / (options.perSecond ?? Infinity)) * 1000;
  const runCaller = async (caller: number) => {
    for (let dueAt = startedAt + (paceMs * caller) / options.callers; ; dueAt += paceMs) {
      const now = performance.now();
      if (paceMs > 0 && dueAt > now) await wait(dueAt - now);
      if (performance.now() >= until) return;
      const call = options.next();
      if (call === undefined) return;
      const sentAt = paceMs > 0 ? dueAt : now;
      const { status } = await call().catch(() => ({ status: 0 }));
      if (status === options.expected) ms.push(performance.now() - sentAt);
      else others.set(status, (others.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: options.callers }, (_, caller) => runCaller(caller)));
  return { calls: ms.length, others, seconds: (performance.now() - startedAt) / 1000, ms };
}

/** Does something `count` times, by a number of callers at once. */
export async function repeat(count: number, task: () => Promise<void>): Promise<void> {
  let left = count;
  const runCaller = async () => {
    while (left > 0) {
      left -= 1;
      await task();
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, runCaller));
}

/** The nearest-rank quantile. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Of rounds that were measured next to each other, so that the machine's speed cancels out. */
export const toRatios = (ours: readonly number[], reference: readonly number[]): number[] =>
  ours.map((value, round) => value / (reference[round] ?? Number.NaN));

export const median = (values: readonly number[]): number => quantile(values, 0.5);
