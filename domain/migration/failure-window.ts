/** The latest objects that were tried, whoever tried them. */
export interface FailureWindow {
  /** Takes in one more. */
  note(isFailed: boolean): void;
  /** Whether more of them failed than may. */
  isOver(): boolean;
}

/** A run that fails this often is stopped: something is wrong that no object is to blame for. */
export const WINDOW_OBJECTS = 1_000;
export const MAX_FAILURES = 50;

/** Begins with what is known already, the oldest first. */
export function createFailureWindow(known: readonly boolean[] = []): FailureWindow {
  const ring: boolean[] = [];
  let at = 0;
  let failures = 0;
  const window: FailureWindow = {
    note(isFailed) {
      if (ring[at] === true) failures -= 1;
      if (isFailed) failures += 1;
      ring[at] = isFailed;
      at = (at + 1) % WINDOW_OBJECTS;
    },
    isOver: () => failures > MAX_FAILURES,
  };
  for (const isFailed of known) window.note(isFailed);
  return window;
}
