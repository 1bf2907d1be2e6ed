import type { Bar } from '../io/bar.ts';
import { shownBytes, shownDuration } from '../io/text.ts';

/** One bar for several parallel transfers. */
export interface TransferBar {
  /** Sets the sum of all known sizes. */
  expect(totalBytes: number): void;
  /** Bytes that were there before this run; they do not count for the speed. */
  began(index: number, earlierBytes: number): void;
  moved(index: number, movedBytes: number): void;
  /** Marks a file as ended, successful or not. */
  finished(index: number): void;
}

/** Shows bytes, files, average speed, and the time that the rest takes at that speed. */
export function createTransferBar(bar: Bar, files: number, now: () => number): TransferBar {
  const startedAtMs = now();
  const moved = new Map<number, number>();
  const earlier = new Map<number, number>();
  const ended = new Set<number>();
  let expectedBytes = 0;
  const draw = (): void => {
    const movedBytes = sum(moved);
    const total = Math.max(expectedBytes, movedBytes);
    const seconds = Math.max(0.001, (now() - startedAtMs) / 1_000);
    const percent = total === 0 ? null : Math.floor((100 * movedBytes) / total);
    const rate = Math.round((movedBytes - sum(earlier)) / seconds);
    const left = rate > 0 && movedBytes < total ? (total - movedBytes) / rate : undefined;
    const notes = [
      `${shownBytes(movedBytes)} of ${shownBytes(total)}`,
      `${ended.size}/${files} files`,
      `${shownBytes(Math.max(0, rate))}/s`,
      ...(left === undefined ? [] : [`${shownDuration(left)} left`]),
    ];
    bar.show(percent, notes.join(', '));
  };
  return {
    expect(totalBytes) {
      expectedBytes = totalBytes;
    },
    began(index, earlierBytes) {
      earlier.set(index, earlierBytes);
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

function sum(bytes: ReadonlyMap<number, number>): number {
  return [...bytes.values()].reduce((total, each) => total + each, 0);
}
