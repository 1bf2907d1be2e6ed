import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { presentMonthly, presentSummary } from '../../../api/analytics/present.ts';
import type { FileEvent, FileRecord, FileStatus } from '../../../domain/upload/file.ts';
import { microToUsd, toMicroUsd, toUsd } from '../../../domain/pricing/money.ts';
import {
  addTotals,
  fileCounts,
  eventTotals,
  totalRouted,
  stillBooked,
  releases,
  type MonthlyTotals,
} from '../../../domain/upload/usage-totals.ts';
import { addMonths, toMonth, monthsBetween, type Month } from '../../../domain/common/time.ts';

const AT = new Date('2026-11-20T12:00:00.000Z');
const NOVEMBER = toMonth(AT);

type Life = 'pending' | 'active' | 'expired';

/** A file in this status, optionally deleted afterwards. */
function fileOf(life: Life, deleted?: 'deleting' | 'deleted', sizeBytes = 10): FileRecord {
  const status: FileStatus = deleted ?? life;
  return {
    status,
    sizeBytes,
    savedVsAws: toMicroUsd(-0.000003),
    location: { provider: 'r2', bucketName: 'b', region: 'auto' },
    ...(life === 'active' ? { completedAt: AT } : {}),
    ...(life === 'expired' ? { expiredAt: AT } : {}),
  } as FileRecord;
}

const totalsOfFiles = (files: readonly FileRecord[]): MonthlyTotals =>
  addTotals(files.flatMap((file) => events(file).map((event) => eventTotals(file, event))));

function events({ status, completedAt, expiredAt }: FileRecord): FileEvent[] {
  return [
    ...(completedAt ? (['completed'] as const) : []),
    ...(expiredAt ? (['expired'] as const) : []),
    ...(status === 'deleting' || status === 'deleted' ? (['deleted'] as const) : []),
  ];
}

describe('monthly totals', () => {
  it('count each file that is not pending in exactly one status', () => {
    const life = fc.constantFrom<Life>('pending', 'active', 'expired');
    const end = fc.constantFrom(undefined, 'deleting' as const, 'deleted' as const);
    fc.assert(
      fc.property(fc.array(fc.tuple(life, end)), (all) => {
        const count = (isIn: (life: Life, end: string | undefined) => boolean) =>
          BigInt(all.filter(([one, how]) => isIn(one, how)).length);
        const sums = totalsOfFiles(all.map(([one, how]) => fileOf(one, how)));
        assert.deepEqual(fileCounts(sums), {
          active: count((one, how) => one === 'active' && !how),
          expired: count((one, how) => one === 'expired' && !how),
          deleted: count((_one, how) => how !== undefined),
        });
        const active = count((one) => one === 'active');
        assert.equal(totalRouted(sums).uploads, active);
      }),
    );
  });

  it('release a reservation once for each file that ended without its bytes', () => {
    const files = [
      fileOf('pending'),
      fileOf('active'),
      fileOf('active', 'deleted'),
      fileOf('expired', undefined, 1),
      fileOf('expired', 'deleted', 20),
      fileOf('pending', 'deleting', 300),
    ];
    const sums = totalsOfFiles(files);
    assert.deepEqual(releases(sums), { uploads: 3, bytes: 321 });
    assert.deepEqual(stillBooked({ uploads: 6, bytes: 351 }, sums), { uploads: 3, bytes: 30 });
    assert.deepEqual(stillBooked({ uploads: 0, bytes: 0 }, sums), { uploads: 0, bytes: 0 });
  });
});

describe('the presentation of monthly totals', () => {
  it('is in gigabytes and USD, in the order of the catalogue, without unused providers', () => {
    const one = { uploads: 1n, bytes: 1_500n, savedMicroUsd: -7n };
    const months = new Map<Month, MonthlyTotals>([
      [addMonths(NOVEMBER, -1), { byProvider: { b2: one } }],
      [NOVEMBER, addTotals([{ byProvider: { b2: one, aws: one }, expired: 2n }])],
    ]);
    assert.deepEqual(presentSummary({ pending: 4, months, currentMonth: NOVEMBER }), {
      files: { pending: 4, active: 3, deleted: 0, expired: 2 },
      gbRouted: 0.0000045,
      savedVsAwsUsd: -0.000021,
      byProvider: [
        { provider: 'aws', files: 1, gbRouted: 0.0000015, savedVsAwsUsd: -0.000007 },
        { provider: 'b2', files: 2, gbRouted: 0.000003, savedVsAwsUsd: -0.000014 },
      ],
      currentMonth: { month: NOVEMBER, uploads: 2, gbRouted: 0.000003, savedVsAwsUsd: -0.000014 },
    });
  });

  it('is zero for a month without events', () => {
    const nothing = { uploads: 0, gbRouted: 0, savedVsAwsUsd: 0, byProvider: [] };
    const { months } = presentMonthly([[NOVEMBER, {}]]);
    assert.deepEqual(months, [{ month: NOVEMBER, ...nothing }]);
  });

  it('has at most six decimals, and the nearest number beyond 2^53', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (micro) => {
        assert.equal(microToUsd(BigInt(micro)), toUsd(micro as ReturnType<typeof toMicroUsd>));
      }),
    );
    assert.equal(microToUsd(2n ** 60n), Number('1152921504606.846976'));
    assert.equal(Object.is(microToUsd(0n), 0), true);
    assert.equal(microToUsd(-1n), -0.000001);
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
