import type { Bar } from '../io/bar.ts';
import { shownBytes } from '../io/text.ts';

/** One bar for several parallel uploads. */
export interface TransferBar {
  /** Sets the sum of all known sizes. */
  expect(totalBytes: number): void;
  moved(index: number, movedBytes: number): void;
  /** Marks a file as ended, successful or not. */
  finished(index: number): void;
}

/** Shows bytes, files and average speed. */
export function createTransferBar(bar: Bar, files: number, now: () => number): TransferBar {
  const startedAtMs = now();
  const moved = new Map<number, number>();
  const ended = new Set<number>();
  let expectedBytes = 0;
  const draw = (): void => {
    const movedBytes = [...moved.values()].reduce((sum, bytes) => sum + bytes, 0);
    const total = Math.max(expectedBytes, movedBytes);
    const seconds = Math.max(0.001, (now() - startedAtMs) / 1_000);
    const percent = total === 0 ? null : Math.floor((100 * movedBytes) / total);
    const rate = shownBytes(Math.round(movedBytes / seconds));
    bar.show(
      percent,
      `${shownBytes(movedBytes)} of ${shownBytes(total)}, ${ended.size}/${files} files, ${rate}/s`,
    );
  };
  return {
    expect(totalBytes) {
      expectedBytes = totalBytes;
    },
    moved(index, movedBytes) {
      moved.set(index, movedBytes);
      draw();
    },
    finished(index) {
      ended.add(index);
      draw();
    },
  };
}
