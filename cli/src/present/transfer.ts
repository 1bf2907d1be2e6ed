import type { Bar } from '../io/bar.ts';
import { shownBytes } from '../io/text.ts';

/** One bar for many files on their way at once. */
export interface TransferBar {
  /** How many bytes all of them have, as far as is known. */
  expect(totalBytes: number): void;
  moved(index: number, movedBytes: number): void;
  /** It has ended, well or not. */
  finished(index: number): void;
}

/** Shows bytes of bytes, files of files, and how fast since the beginning. */
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
