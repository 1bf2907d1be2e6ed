import { createBar } from '../../cli/src/io/bar.ts';
import type { Output } from '../../cli/src/io/context.ts';

/** So often a line says how far it is, where there is no terminal. */
const LINE_EVERY_MS = 5_000;

export interface Progress {
  /** `share` from 0 to 1. */
  show(share: number, note: () => string): void;
  /** A line of its own. */
  say(line: string): void;
}

/** A bar that is redrawn on a terminal, and a line now and then elsewhere. */
export function createProgress(out: Output, now: () => number): Progress {
  const bar = createBar(out, true, now);
  let saidAtMs = now();
  return {
    show(share, note) {
      if (out.isTTY === true) return bar.show(Math.floor(Math.min(share, 0.99) * 100), note());
      if (now() - saidAtMs < LINE_EVERY_MS) return;
      saidAtMs = now();
      out.write(`${note()}\n`);
    },
    say(line) {
      bar.clear();
      out.write(`${line}\n`);
    },
  };
}
