import type { Output } from './context.ts';

const WIDTH = 24;
const REDRAW_AFTER_MS = 100;

/** One line of a terminal that is drawn over and over. Thirty lines, so no library for it. */
export interface Bar {
  /** `percent` null: how far it is cannot be said yet. */
  show(percent: number | null, note: string): void;
  /** Takes the line away, so that a lasting one may be written. */
  clear(): void;
}

/** A bar on a terminal; nothing at all anywhere else. */
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
      // Never longer than the terminal is wide: a line that wraps cannot be drawn over.
      out.write(`\r${line.slice(0, Math.max(1, (out.columns ?? 80) - 1))}\u001B[K`);
    },
    clear() {
      if (isDrawn) out.write('\r\u001B[K');
      isDrawn = false;
    },
  };
}
