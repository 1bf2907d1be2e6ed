import assert from 'node:assert/strict';
import {
  isCleanupOver,
  isDeleteOver,
  nextStep,
  type UploadState,
} from '../../../domain/upload/file.ts';
import { addSeconds } from '../../../domain/common/time.ts';

const BEGAN = new Date('2026-02-26T12:00:00.000Z');
const WEEK_SECONDS = 7 * 86_400;

describe('a delete that fails', () => {
  for (const [seconds, isOver] of [
    [0, false],
    [WEEK_SECONDS - 0.001, false],
    [WEEK_SECONDS, true],
    [52 * WEEK_SECONDS, true],
  ] as const) {
    it(`${isOver ? 'stops' : 'is repeated'} after ${seconds} s`, () => {
      const now = addSeconds(BEGAN, seconds);
      assert.equal(isDeleteOver({ deleteStartedAt: BEGAN }, now), isOver);
      assert.equal(isCleanupOver({ deadline: BEGAN }, now), isOver);
    });
  }

  it('is work until it stops', () => {
    const deleting: UploadState = { status: 'deleting', cleanupPending: false };
    for (const isOpen of [true, false]) {
      assert.equal(nextStep(deleting, isOpen), 'delete');
      assert.equal(nextStep({ ...deleting, isStopped: true }, isOpen), 'end');
    }
  });
});
