import type { Output } from './context.ts';

const WIDTH = 24;
const REDRAW_AFTER_MS = 100;

/** One terminal line that is redrawn. Thirty lines of code, so no library for it. */
export interface Bar {
  /** `percent` null: the progress is unknown. */
  show(percent: number | null, note: string): void;
  /** Clears the line before permanent output. */
  clear(): void;
}

/** A progress bar on a terminal; no output elsewhere. */
export function createBar(out: Output, isWanted: boolean, now: () => number): Bar {
  if (!isWanted || out.isTTY !== true) return { show: () => undefined, clear: () => undefined };
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isDrawn = false;
  return {
    show(percent, note) {
      const atMs = now();
      if (atMs - drawnAt < REDRAW_AFTER_MS && percent !== 100) return;
      drawnAt = atMs;
      isDrawn = true;
      const filled = Math.round(((percent ?? 0) / 100) * WIDTH);
      const drawn = '█'.repeat(filled).padEnd(WIDTH, '░');
      const line = `${drawn} ${String(percent ?? 0).padStart(3)} %  ${note}`;
      // Cut to the terminal's width: a wrapped line cannot be redrawn.
      out.write(`\r${line.slice(0, Math.max(1, (out.columns ?? 80) - 1))}\u001B[K`);
    },
    clear() {
      if (isDrawn) out.write('\r\u001B[K');
      isDrawn = false;
    },
  };
}
