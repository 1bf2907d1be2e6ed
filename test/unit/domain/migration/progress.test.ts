import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { NO_COUNTS } from '../../../../domain/migrations/counts.ts';
import * as progress from '../../../../domain/migrations/progress.ts';
import {
  addSample,
  recentBytesPerSecond,
  type ByteSample,
} from '../../../../domain/migrations/progress.ts';

const MIB = 2 ** 20;
const at = (objects: string, bytes: string, bytesInFlight = 0): progress.ConfirmedProgress => {
  const [copied = 0, objectsTotal = 0] = objects.split('/').map(Number);
  const [bytesSettled = 0, bytesTotal = 0] = bytes.split('/').map(Number);
  const counts = { ...NO_COUNTS, copied, bytesSettled, bytesCopied: bytesSettled };
  return { objectsTotal, bytesTotal, counts, bytesInFlight };
};

describe('the progress of a migration', () => {
  for (const [objects, bytes, inFlight, percent, status] of [
    ['2/2', '100/100', 0, 100, 'copying'],
    ['1/2', '20/100', 0, 20, 'copying'],
    ['1/2', '20/100', 64, 84, 'copying'],
    ['1/2', '20/100', 80, 99, 'copying'],
    ['1/4', '0/0', 0, 25, 'copying'],
    ['0/0', '0/0', 0, 100, 'copying'],
    ['0/1', `0/${100 * MIB}`, 64 * MIB, 64, 'copying'],
    // A manifest that is not whole.
    ['0/0', '0/0', 0, 0, 'planning'],
  ] as const)
    it(`is ${percent} % at ${objects} objects and ${bytes} bytes, ${inFlight} in flight, while ${status}`, () =>
      assert.equal(progress.toPercent(at(objects, bytes, inFlight), status), percent));

  it('leaves the time of the bytes that are not confirmed', () => {
    assert.equal(progress.secondsLeft(at('0/1', '0/100', 64), 10), 4);
    assert.equal(progress.secondsLeft(at('0/1', '0/100', 64), 0), null);
    assert.equal(progress.secondsLeft(at('0/1', '0/100', 120), 10), 0);
  });
});

describe('the rate of a migration', () => {
  const steady = (bytesPerSecond: number, seconds: number): ByteSample[] =>
    Array.from({ length: seconds + 1 }, (_unused, second) => ({
      atMs: second * 1_000,
      bytes: second * bytesPerSecond,
    })).reduce<ByteSample[]>((series, sample) => addSample(series, sample), []);

  for (const [what, series, nowMs, rate] of [
    ['the average of the last 30 seconds', [steady(7, 60)], 60_000, 7],
    ['the average of less where it has just begun', [steady(7, 10)], 10_000, 7],
    ['nothing without bytes', [], 60_000, 0],
    ['the sum of the pages copied side by side', [steady(7, 60), steady(3, 60)], 60_000, 10],
    ['half after half of the time without bytes', [steady(6, 60)], 75_000, 3],
    ['nothing after 30 seconds without bytes', [steady(6, 60)], 90_000, 0],
    ['nothing for lost bytes', [addSample(steady(6, 10), { atMs: 11_000, bytes: 0 })], 11_000, 0],
  ] as const) {
    it(`is ${what}`, () => {
      assert.equal(recentBytesPerSecond(series, { nowMs, beganMs: 0 }), rate);
    });
  }

  it('keeps of a series what its window needs, whatever the distances', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 40_000 }), fc.nat({ max: 1_000 })), {
      minLength: 1,
    });
    fc.assert(
      fc.property(steps, (distances) => {
        let [atMs, bytes] = [0, 0];
        const all: ByteSample[] = [{ atMs, bytes }];
        let kept: readonly ByteSample[] = all;
        for (const [ms, more] of distances) {
          [atMs, bytes] = [atMs + ms, bytes + more];
          all.push({ atMs, bytes });
          kept = addSample(kept, { atMs, bytes });
        }
        const times = { nowMs: atMs, beganMs: 0 };
        assert.equal(recentBytesPerSecond([kept], times), recentBytesPerSecond([all], times));
        assert.ok(
          kept.filter((sample) => sample.atMs <= atMs - progress.RATE_WINDOW_MS).length <= 1,
        );
      }),
    );
  });
});
