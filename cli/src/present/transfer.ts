import { formatBytes, formatNumber } from '@storage-routing/client';
import type { Bar } from '../io/bar.ts';
import { formatDuration } from '../io/text.ts';

/** One bar for several parallel transfers. */
export interface TransferBar {
  /** Sets the sum of all known sizes. */
  expect(totalBytes: number): void;
  /** Bytes that were there before this run; they do not count for the speed. */
  began(earlierBytes: number): void;
  moved(index: number, movedBytes: number): void;
  /** Marks a file as ended, successful or not. */
  finished(index: number): void;
}

/** Shows bytes, files, average speed, and the time that the rest takes at that speed. */
export function createTransferBar(bar: Bar, files: number, now: () => number): TransferBar {
  const startedAtMs = now();
  /** By index, for the files under way. The sums are kept, because a folder may have many files. */
  const moved = new Map<number, number>();
  let movedBytes = 0;
  let earlierBytes = 0;
  let endedFiles = 0;
  let expectedBytes = 0;
  const draw = (): void => {
    const total = Math.max(expectedBytes, movedBytes);
    const seconds = Math.max(0.001, (now() - startedAtMs) / 1_000);
    const percent = total === 0 ? null : Math.floor((100 * movedBytes) / total);
    const rate = Math.round((movedBytes - earlierBytes) / seconds);
    const left = rate > 0 && movedBytes < total ? (total - movedBytes) / rate : undefined;
    const notes = [
      `${formatBytes(movedBytes)} of ${formatBytes(total)}`,
      `${formatNumber(endedFiles)}/${formatNumber(files)} files`,
      `${formatBytes(Math.max(0, rate))}/s`,
      ...(left === undefined ? [] : [`${formatDuration(left)} left`]),
    ];
    bar.show(percent, notes.join(', '));
  };
  return {
    expect(totalBytes) {
      expectedBytes = totalBytes;
    },
    began(bytes) {
      earlierBytes += bytes;
    },
    moved(index, bytes) {
      movedBytes += bytes - (moved.get(index) ?? 0);
      moved.set(index, bytes);
      draw();
    },
    finished(index) {
      moved.delete(index);
      endedFiles += 1;
      draw();
    },
  };
}
