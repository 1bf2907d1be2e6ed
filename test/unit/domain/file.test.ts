import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  givenUpAt,
  nextLook,
  nextStep,
  planParts,
  toPartSize,
  uploadWindow,
} from '../../../domain/uploads/file.ts';
import { addSeconds } from '../../../domain/common/time.ts';

const MIB = 2 ** 20;
const LIMITS = { singlePutBytes: 5 * 2 ** 30, objectBytes: 50 * 2 ** 40, parts: 10_000 };
const LARGEST = 53_687_091_200_000;
const BEGAN = new Date('2026-02-26T12:00:00.000Z');
const DAY_SECONDS = 86_400;
const at = (seconds: number) => addSeconds(BEGAN, seconds);

describe('work at a store that always fails', () => {
  const file = { deadline: at(1), lastLookAt: at(2), deleteStartedAt: at(3) };
  for (const [status, seconds] of [
    ['pending', 1 + DAY_SECONDS],
    ['deleting', 3 + 7 * DAY_SECONDS],
    ['expired', 2 + 7 * DAY_SECONDS],
    ['deleted', 2 + 7 * DAY_SECONDS],
  ] as const)
    it(`on a file that is ${status} is given up`, () => {
      assert.deepEqual(givenUpAt({ ...file, status }), at(seconds));
    });
});

describe('the looks at the store after a file has left pending', () => {
  // The URL ends after 10 s, the window after 30 s, the last look is due at 90 s.
  const file = { urlExpiresAt: at(10), ...uploadWindow(at(10), 20) };
  for (const [status, now, next] of [
    ['expired', 30, 90],
    ['expired', 89, 90],
    ['expired', 90, undefined],
    ['deleted', 5, 30],
    ['deleted', 29, 30],
    ['deleted', 30, 90],
    ['deleted', 90, undefined],
    ['completed, then deleted', 5, 30],
    ['completed, then deleted', 10, undefined],
    ['completed, then deleted', 30, undefined],
  ] as const)
    it(`of a file that is ${status} at ${now} s ${next === undefined ? 'end' : `come next at ${next} s`}`, () => {
      const completed = status.startsWith('completed') ? { completedAt: at(1) } : {};
      const looked = {
        ...file,
        ...completed,
        status: status === 'expired' ? status : 'deleted',
      } as const;
      assert.deepEqual(nextLook(looked, at(now)), next === undefined ? undefined : at(next));
    });

  it('come a whole grace period after the window, if that is longer than a minute', () => {
    const window = { deadline: at(86_400), lastLookAt: at(172_800) };
    assert.deepEqual(uploadWindow(at(0), 86_400), window);
  });
});

/** All other steps: `test/integration/upload-life.test.ts`. */
describe('the next step of an upload', () => {
  it('is the end where its delete was stopped', () => {
    const stopped = { status: 'deleting', lookAgainAtMs: null, isStopped: true } as const;
    assert.deepEqual(nextStep(stopped, { deadlineMs: 100, nowMs: 99 }), { do: 'end' });
  });
});

describe('the parts of a file', () => {
  for (const [sizeBytes, mib, partCount] of [
    [0, 8, 1],
    [8 * MIB, 8, 1],
    [8 * MIB + 1, 8, 2],
    [10_000 * 8 * MIB, 8, 10_000],
    [10_000 * 8 * MIB + 1, 9, 8_889],
    [LARGEST, 5_120, 10_000],
  ] as const)
    it(`of ${sizeBytes} bytes are ${partCount} of ${mib} MiB`, () =>
      assert.deepEqual(planParts(sizeBytes, LIMITS), { partSizeBytes: mib * MIB, partCount }));

  it('add up to the file, are at most 10,000, and are equal but the last', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LARGEST }), (sizeBytes) => {
        const layout = planParts(sizeBytes, LIMITS);
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
