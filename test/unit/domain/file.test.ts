import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  isDeleteOver,
  isLookOver,
  nextLook,
  nextStep,
  planParts,
  toPartSize,
  uploadWindow,
  type UploadState,
} from '../../../domain/upload/file.ts';
import { addSeconds } from '../../../domain/common/time.ts';

const MIB = 2 ** 20;
const LARGEST = 53_687_091_200_000;
const BEGAN = new Date('2026-02-26T12:00:00.000Z');
const WEEK_SECONDS = 7 * 86_400;
const at = (seconds: number) => addSeconds(BEGAN, seconds);

describe('a delete or a late look that fails', () => {
  it('stops after a week', () => {
    for (const [seconds, isOver] of [
      [0, false],
      [WEEK_SECONDS - 0.001, false],
      [WEEK_SECONDS, true],
      [52 * WEEK_SECONDS, true],
    ] as const) {
      assert.equal(isDeleteOver({ deleteStartedAt: BEGAN }, at(seconds)), isOver);
      assert.equal(isLookOver({ lastLookAt: BEGAN }, at(seconds)), isOver);
    }
  });
});

describe('the looks at the store after a file has left pending', () => {
  // The URL ends after 10 s, the window after 30 s, the last look is due at 90 s.
  const file = { urlExpiresAt: at(10), ...uploadWindow(at(10), 20) };
  const rows = [
    ['expired', false, 30, 90],
    ['expired', false, 89, 90],
    ['expired', false, 90, undefined],
    ['deleted', false, 5, 30],
    ['deleted', false, 29, 30],
    ['deleted', false, 30, 90],
    ['deleted', false, 90, undefined],
    ['deleted', true, 5, 30],
    ['deleted', true, 10, undefined],
    ['deleted', true, 30, undefined],
  ] as const;
  for (const [status, isCompleted, now, next] of rows)
    it(`of a ${isCompleted ? 'completed, then ' : ''}${status} file at ${now} s ${next === undefined ? 'come to an end' : `come next at ${next} s`}`, () => {
      const completed = isCompleted ? { completedAt: at(1) } : {};
      const look = nextLook({ ...file, status, ...completed }, at(now));
      assert.deepEqual(look, next === undefined ? undefined : at(next));
    });

  it('come a whole grace period after the window, if that is longer than a minute', () => {
    assert.deepEqual(uploadWindow(at(0), 86_400), {
      deadline: at(86_400),
      lastLookAt: at(172_800),
    });
  });
});

describe('the next step of an upload', () => {
  const time = { deadlineMs: 100, nowMs: 99 };
  const later = { deadlineMs: 100, nowMs: 100 };
  const state = (status: UploadState['status'], lookAgainAtMs: number | null = null) => ({
    status,
    lookAgainAtMs,
  });

  it('is a delete until it stops, before and after the deadline', () => {
    for (const now of [time, later]) {
      assert.deepEqual(nextStep(state('deleting', 100), now), { do: 'delete' });
      assert.deepEqual(nextStep({ ...state('deleting'), isStopped: true }, now), { do: 'end' });
    }
  });

  it('waits for the deadline, or for the late look', () => {
    for (const status of ['pending', 'missing'] as const) {
      assert.deepEqual(nextStep(state(status), time), { do: 'wait', untilMs: 100 });
      assert.deepEqual(nextStep(state(status), later), { do: 'settle' });
    }
    for (const status of ['expired', 'deleted'] as const) {
      assert.deepEqual(nextStep(state(status, 200), later), { do: 'wait', untilMs: 200 });
      assert.deepEqual(nextStep(state(status, 100), later), { do: 'lookAgain' });
      assert.deepEqual(nextStep(state(status), later), { do: 'end' });
    }
    assert.deepEqual(nextStep(state('active'), time), { do: 'end' });
  });
});

describe('the parts of a file', () => {
  const rows: [sizeBytes: number, partSizeBytes: number, partCount: number][] = [
    [0, 8 * MIB, 1],
    [1, 8 * MIB, 1],
    [8 * MIB, 8 * MIB, 1],
    [8 * MIB + 1, 8 * MIB, 2],
    [10_000 * 8 * MIB, 8 * MIB, 10_000],
    [10_000 * 8 * MIB + 1, 9 * MIB, 8_889],
    [LARGEST, 5_120 * MIB, 10_000],
  ];
  for (const [sizeBytes, partSizeBytes, partCount] of rows) {
    it(`of ${sizeBytes} bytes are ${partCount} of ${partSizeBytes}`, () => {
      assert.deepEqual(planParts(sizeBytes), { partSizeBytes, partCount });
    });
  }

  it('add up to the file, are at most 10,000, and are equal but the last', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LARGEST }), (sizeBytes) => {
        const layout = planParts(sizeBytes);
        const { partSizeBytes, partCount } = layout;
        assert.ok(partCount >= 1 && partCount <= 10_000);
        assert.equal(partSizeBytes % MIB, 0);
        const last = toPartSize(sizeBytes, layout, partCount);
        assert.ok(last <= partSizeBytes && (last > 0 || sizeBytes === 0));
        assert.equal((partCount - 1) * partSizeBytes + last, sizeBytes);
        if (partCount > 1) assert.equal(toPartSize(sizeBytes, layout, 1), partSizeBytes);
      }),
    );
  });
});
