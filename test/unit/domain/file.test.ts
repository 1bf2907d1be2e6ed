import assert from 'node:assert/strict';
import {
  isDeleteOver,
  isLookOver,
  nextLook,
  nextStep,
  uploadWindow,
  type UploadState,
} from '../../../domain/upload/file.ts';
import { addSeconds } from '../../../domain/common/time.ts';

const BEGAN = new Date('2026-02-26T12:00:00.000Z');
const WEEK_SECONDS = 7 * 86_400;
const at = (seconds: number) => addSeconds(BEGAN, seconds);

describe('a delete or a late look that fails', () => {
  for (const [seconds, isOver] of [
    [0, false],
    [WEEK_SECONDS - 0.001, false],
    [WEEK_SECONDS, true],
    [52 * WEEK_SECONDS, true],
  ] as const) {
    it(`${isOver ? 'stops' : 'is repeated'} after ${seconds} s`, () => {
      assert.equal(isDeleteOver({ deleteStartedAt: BEGAN }, at(seconds)), isOver);
      assert.equal(isLookOver({ lastLookAt: BEGAN }, at(seconds)), isOver);
    });
  }
});

describe('the looks at the store after a file has left pending', () => {
  // The URL ends after 10 s, the window after 30 s, the last look is due at 90 s.
  const file = { urlExpiresAt: at(10), ...uploadWindow(at(10), 20) };
  const rows = [
    [
      'expired',
      false,
      [
        [30, 90],
        [89, 90],
        [90, undefined],
      ],
    ],
    [
      'deleted',
      false,
      [
        [5, 30],
        [29, 30],
        [30, 90],
        [90, undefined],
      ],
    ],
    [
      'deleted',
      true,
      [
        [5, 30],
        [10, undefined],
        [30, undefined],
      ],
    ],
  ] as const;
  for (const [status, isCompleted, looks] of rows)
    for (const [now, expected] of looks)
      it(`of a ${isCompleted ? 'completed, then ' : ''}${status} file at ${now} s come ${expected === undefined ? 'to an end' : `next at ${expected} s`}`, () => {
        const completed = isCompleted ? { completedAt: at(1) } : {};
        const look = nextLook({ ...file, status, ...completed }, at(now));
        assert.deepEqual(look, expected === undefined ? undefined : at(expected));
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
