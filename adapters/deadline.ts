/** When the answer to the current request is due. */
export interface Deadline {
  /** Whole milliseconds that are left: at most 0 after it, Infinity if no caller waits. */
  remainingMs(): number;
}

/** For work that no request waits for. */
export const NO_DEADLINE: Deadline = { remainingMs: () => Number.POSITIVE_INFINITY };

/** Rejects with the error of `late` if the work takes longer than `ms`. The work itself goes on. */
export function raceTimeout<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), Math.max(0, ms));
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
