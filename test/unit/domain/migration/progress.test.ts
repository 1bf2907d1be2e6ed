import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { NO_COUNTS } from '../../../../domain/migration/counts.ts';
import {
  addSample,
  toPercent,
  RATE_WINDOW_MS,
  recentBytesPerSecond,
  secondsLeft,
  type ByteSample,
  type ConfirmedProgress,
} from '../../../../domain/migration/progress.ts';

const MIB = 2 ** 20;
const at = (
  objectsTotal: number,
  copied: number,
  bytesTotal: number,
  bytesSettled: number,
  bytesInFlight = 0,
): ConfirmedProgress => ({
  objectsTotal,
  bytesTotal,
  counts: { ...NO_COUNTS, copied, bytesSettled, bytesCopied: bytesSettled },
  bytesInFlight,
});

describe('the progress of a migration', () => {
  for (const [progress, percent] of [
    [at(2, 2, 100, 100), 100],
    [at(2, 1, 100, 20), 20],
    [at(2, 1, 100, 20, 64), 84],
    [at(2, 1, 100, 20, 80), 99],
    [at(4, 1, 0, 0), 25],
    [at(0, 0, 0, 0), 100],
    [at(1, 0, 100 * MIB, 0, 64 * MIB), 64],
  ] as const)
    it(`is ${percent} % at ${JSON.stringify({ ...progress, counts: progress.counts.bytesSettled })}`, () => {
      assert.equal(toPercent(progress, 'copying'), percent);
    });

  it('is 0 % of a manifest without objects that is not whole', () => {
    assert.equal(toPercent(at(0, 0, 0, 0), 'planning'), 0);
  });

  it('leaves the time of the bytes that are not confirmed', () => {
    assert.equal(secondsLeft(at(1, 0, 100, 0, 64), 10), 4);
    assert.equal(secondsLeft(at(1, 0, 100, 0, 64), 0), null);
    assert.equal(secondsLeft(at(1, 0, 100, 0, 120), 10), 0);
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
    [
      'the sum of the pages that are copied side by side',
      [steady(7, 60), steady(3, 60)],
      60_000,
      10,
    ],
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
        assert.ok(kept.filter((sample) => sample.atMs <= atMs - RATE_WINDOW_MS).length <= 1);
      }),
    );
  });
});
