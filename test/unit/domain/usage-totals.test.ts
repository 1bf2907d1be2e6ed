import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { presentMonthly, presentSummary } from '../../../api/analytics/present.ts';
import { addMonths, monthsBetween, toMonth, type Month } from '../../../domain/common/time.ts';
import { microToUsd, toUsd, type MicroUsd } from '../../../domain/pricing/money.ts';
import type { FileEvent, FileRecord } from '../../../domain/uploads/file.ts';
import * as totals from '../../../domain/uploads/usage-totals.ts';
import { catalogue } from '../price-book.ts';

const AT = new Date('2026-11-20T12:00:00.000Z');
const NOVEMBER = toMonth(AT);

/** A file with these events, in their order. */
const fileOf = (sizeBytes: number, ...events: FileEvent[]) => ({
  events,
  file: {
    sizeBytes,
    savedVsAws: -3,
    location: { provider: 'r2', bucketName: 'b', region: 'auto' },
    routing: { provider: 'r2' },
    ...(events.includes('completed') ? { completedAt: AT } : {}),
    ...(events.includes('expired') ? { expiredAt: AT } : {}),
  } as unknown as FileRecord,
});

/** How totals add up over any files and events is held by test/integration/adapters/usage-totals.test.ts. */
describe('monthly totals', () => {
  it('count each file that is not pending once, and release a reservation once where it ended without its bytes', () => {
    const sums = totals.addTotals(
      [
        fileOf(10),
        fileOf(10, 'completed'),
        fileOf(10, 'completed', 'deleted'),
        fileOf(1, 'expired'),
        fileOf(20, 'expired', 'deleted'),
        fileOf(300, 'deleted'),
      ].flatMap(({ file, events }) => events.map((event) => totals.eventTotals(file, event))),
    );
    assert.deepEqual(totals.fileCounts(sums), { active: 1n, expired: 1n, deleted: 3n });
    assert.equal(totals.totalRouted(sums).uploads, 2n);
    assert.deepEqual(totals.releases(sums), { uploads: 3, bytes: 321 });
    const left = totals.stillBooked({ uploads: 6, bytes: 351 }, sums);
    assert.deepEqual(left, { uploads: 3, bytes: 30 });
    const none = { uploads: 0, bytes: 0 };
    assert.deepEqual(totals.stillBooked(none, sums), none);
  });
});

/** Its sums: `test/acceptance/analytics.test.ts`. */
describe('the presentation of monthly totals', () => {
  it('is in the order of the catalogue, over all months, without unused providers', () => {
    const one = { uploads: 1n, bytes: 1_500n, savedMicroUsd: -7n };
    const months = new Map<Month, totals.MonthlyTotals>([
      [addMonths(NOVEMBER, -1), { byProvider: { b2: one } }],
      [NOVEMBER, totals.addTotals([{ byProvider: { b2: one, aws: one }, expired: 2n }])],
    ]);
    const summary = { pending: 4, months, currentMonth: NOVEMBER };
    const { files, byProvider } = presentSummary(catalogue, summary);
    assert.deepEqual(files, { pending: 4, active: 3, deleted: 0, expired: 2 });
    assert.deepEqual(byProvider, [
      { provider: 'aws', files: 1, gbRouted: 0.0000015, savedVsAwsUsd: -0.000007 },
      { provider: 'b2', files: 2, gbRouted: 0.000003, savedVsAwsUsd: -0.000014 },
    ]);
  });

  it('is zero for a month without events, has at most six decimals, and the nearest number beyond 2^53', () => {
    const nothing = { uploads: 0, gbRouted: 0, savedVsAwsUsd: 0, byProvider: [] };
    const { months } = presentMonthly(catalogue, [[NOVEMBER, {}]]);
    assert.deepEqual(months, [{ month: NOVEMBER, ...nothing }]);
    fc.assert(
      fc.property(fc.maxSafeInteger(), (micro) =>
        assert.equal(microToUsd(BigInt(micro)), toUsd(micro as MicroUsd)),
      ),
    );
    assert.equal(microToUsd(2n ** 60n), Number('1152921504606.846976'));
    assert.ok(Object.is(microToUsd(0n), 0));
  });
});

describe('addMonths and monthsBetween', () => {
  it('cross the end of a year and start from the last day of a long month', () => {
    assert.equal(addMonths('2026-01' as Month, -1), '2025-12');
    assert.equal(addMonths(toMonth(new Date('2028-01-31T23:59:59.999Z')), 1), '2028-02');
    const months = monthsBetween('2025-11' as Month, '2026-02' as Month);
    assert.deepEqual(months, ['2025-11', '2025-12', '2026-01', '2026-02']);
    assert.equal(monthsBetween(addMonths(NOVEMBER, -11), NOVEMBER).length, 12);
    assert.deepEqual(monthsBetween(NOVEMBER, addMonths(NOVEMBER, -1)), []);
  });
});
