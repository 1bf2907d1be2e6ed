import assert from 'node:assert/strict';
import type { AccountUsage, BillRow, BucketMetrics } from '../../../../domain/bill/bill.ts';
import type { Decision } from '../../../../domain/decision/types.ts';
import { bucket, decideOn, GIB, group } from './inventories.ts';

const NO_METRICS: BucketMetrics = { reads: null, tiers: null };

const row = (usageType: string, quantity: number, more: Partial<BillRow> = {}): BillRow => ({
  usageType,
  operation: '',
  quantity,
  unit: '',
  listUsd: 0,
  netUsd: more.listUsd ?? 0,
  ...more,
});
const gets = (count: number, prefix = '') =>
  row(`${prefix}Requests-Tier2`, count, { operation: 'GetObject' });
const internet = (gb: number) => row('DataTransfer-Out-Bytes', gb);

/** A bill of a month of 30 days, and metrics by bucket. */
function usage(
  rows: readonly BillRow[],
  metrics: Readonly<Record<string, Partial<BucketMetrics>>> = {},
): AccountUsage {
  return {
    bill: rows.length > 0 ? { period: '2026-09', estimated: false, rows } : null,
    metrics: new Map(Object.entries(metrics).map(([name, of]) => [name, { ...NO_METRICS, ...of }])),
  };
}

/** 10,000 young objects of 10 MiB: Σ n E is 5,000. */
const young = (name: string, more = {}) => bucket([group('a/', 'STANDARD', 0)], { name, ...more });
const readsOf = ({ buckets }: Decision, name: string) =>
  buckets.find((each) => each.name === name)?.reads;
const stayOf = ({ report }: Decision) =>
  Object.fromEntries(report.readScenarios.map((each) => [each.reads, each.stayMonthlyUsd]));

/** The figures of the pricing rules, section 8. */
describe('the customer’s own bill and reads', () => {
  it('worked: 100,000 reads, none of which leaves to the internet', () => {
    const decision = decideOn([young('only')], { usage: usage([gets(100_000)]) });
    assert.equal(decision.currentMonthlyCostUsd, 2.266094);
    assert.deepEqual(stayOf(decision), { none: 2.266094, expected: 2.286094, heavy: 2.326094 });
    assert.deepEqual(decision.recommendations, []);
  });

  it('worked: the same reads, all of which leave to the internet', () => {
    const decision = decideOn([young('only')], {
      usage: usage([gets(100_000), internet(976.5625)]),
    });
    assert.equal(stayOf(decision).expected, 90.176719);
    const [move] = decision.recommendations;
    assert.equal(move?.options[0]?.provider, 'r2');
    assert.equal(move.options[0].placedMonthlyUsd.expected, 1.608864);
    assert.match(move.reasons.join(' '), /read 10 times a month.*100 % of what is read leaves/);
  });

  it('share what was not measured by the assumed reads, and raise bytes to what left', () => {
    const small = bucket([group('a/', 'STANDARD', 0, 1_000)], { name: 'small' });
    const measured = { gets: 6_000, bytes: 60 * GIB, days: 20 };
    const decision = decideOn([young('big'), small, young('known')], {
      usage: usage([gets(20_000), internet(1_000)], { known: { reads: measured } }),
    });
    // 9,000 of the 20,000 are measured; 11,000 over 5,500 are two each.
    assert.deepEqual(
      ['big', 'small', 'known'].map((name) => readsOf(decision, name)?.getsPerMonth),
      [10_000, 1_000, 9_000],
    );
    // 90 GB are measured, so 910 of the 1,000 GB that left are of the two others.
    const gb = (name: string) => (readsOf(decision, name)?.bytesPerMonth ?? 0) / GIB;
    assert.deepEqual(['big', 'small', 'known'].map(gb).map(Math.round), [827, 83, 90]);
    assert.equal(
      readsOf(decision, 'big')?.internetBytesPerMonth,
      readsOf(decision, 'big')?.bytesPerMonth,
    );
  });

  it('are assumed where the bill has no line of the region, and measured without a bill', () => {
    const elsewhere = decideOn([young('only')], { usage: usage([gets(9, 'EUC1-')]) });
    assert.equal(readsOf(elsewhere, 'only')?.source, 'assumed');
    const reads = { gets: 140, bytes: 14 * GIB, days: 14 };
    const measured = decideOn([young('only')], { usage: usage([], { only: { reads } }) });
    assert.deepEqual(readsOf(measured, 'only'), {
      source: 'measured',
      getsPerMonth: 300,
      bytesPerMonth: 30 * GIB,
      internetBytesPerMonth: 30 * GIB,
    });
    const few = decideOn([young('only')], {
      usage: usage([], { only: { reads: { ...reads, days: 13 } } }),
    });
    assert.equal(readsOf(few, 'only')?.source, 'assumed');
  });

  it('may all be of one of several buckets, at most ten times what is its share', () => {
    const tiny = bucket([group('a/', 'STANDARD', 0, 2_000)], { name: 'tiny' });
    const heavyOf = (buckets: Parameters<typeof decideOn>[0]) => {
      const {
        heavy = 0,
        expected = 0,
        none = 0,
      } = stayOf(decideOn(buckets, { usage: usage([gets(12_000)]) }));
      return (heavy - none) / (expected - none);
    };
    // 12,000 reads; either of them may have all.
    const both = heavyOf([young('big'), tiny]);
    assert.ok(Math.abs(both - 2) < 0.01, `${both}`);
  });

  it('price each line as it is paid, and all lines of the region where one has too little', () => {
    const decision = decideOn([young('only')], {
      usage: usage([
        row('TimedStorage-ByteHrs', 98, { listUsd: 100, netUsd: 50 }),
        row('Requests-Tier1', 9, { listUsd: 0.009, netUsd: 0 }),
        row('Tax-Like', 9, { listUsd: 100, netUsd: 70 }),
        row('DataTransfer-Out-Bytes', 500, { listUsd: 45, netUsd: 54 }),
        gets(5_000),
      ]),
    });
    assert.equal(decision.report.exitScenario?.remainingMonthlyUsd, 0);
    assert.deepEqual(decision.bill?.factors, [
      { region: 'us-east-1', line: 'storage', storageClass: 'STANDARD', factor: 0.5 },
      { region: 'us-east-1', line: 'other', storageClass: null, factor: 0.7 },
    ]);
    const [move] = decision.recommendations;
    // Egress at list: what is paid above it is no discount. Listing and reads: 174 of 245.009.
    assert.equal(move?.options[0]?.quote.egressUsd, 8.789063);
    assert.equal(move.options[0].quote.sourceRequestsUsd, 0.002876);
  });

  it('price a line as it is paid also where corrections take back what the region costs', () => {
    const storage = row('TimedStorage-ByteHrs', 98, { listUsd: 100, netUsd: 50 });
    const correction = row('Tax-Like', 1, { listUsd: -100, netUsd: -100 });
    const costOf = (...rows: BillRow[]) =>
      decideOn([young('only')], { usage: usage(rows) }).currentMonthlyCostUsd;
    assert.equal(costOf(storage, correction), costOf(storage));
  });

  it('take 0.2 from the confidence where less than 70 % of the billed storage was found', () => {
    const paid = { listUsd: 10, netUsd: 10 };
    const of = (gb: number) =>
      decideOn([young('only')], { usage: usage([row('TimedStorage-ByteHrs', gb, paid)]) });
    const [found, lost] = [of(139), of(140)];
    assert.deepEqual([found.bill?.explainedShare, lost.bill?.explainedShare], [0.7026, 0.6975]);
    const [sure, unsure] = [found, lost].map(({ recommendations }) => recommendations[0]);
    assert.equal(Math.round(10 * ((sure?.confidence ?? 0) - (unsure?.confidence ?? 0))), 2);
    assert.match(unsure?.reasons.join(' ') ?? '', /much storage that was not listed/);
  });

  it('take nothing from the confidence at 70 % to the byte', () => {
    const held = bucket([group('a/', 'STANDARD', 0, 7, GIB)], { name: 'only' });
    for (let usd = 1; usd < 30; usd++) {
      const paid = row('TimedStorage-ByteHrs', 10, { listUsd: usd });
      const { bill, report } = decideOn([held], { usage: usage([paid]) });
      assert.deepEqual([bill?.explainedShare, report.confidence], [0.7, 0.9], `${usd}`);
    }
  });

  const noReads = { reads: { gets: 0, bytes: 0, days: 30 } };
  const noTiers = { frequent: 0, infrequent: 0, archiveInstant: 0, archive: 0, deepArchive: 0 };
  const gratis = (usageType: string) => row(usageType, 0, { listUsd: 1, netUsd: 0 });
  // Of these classes the two regions lack figures, so that those of another region are taken.
  for (const [what, region, held, known] of [
    [
      'reads where nothing is read',
      'us-west-2',
      group('a/', 'STANDARD', 0, 10, 1),
      usage([], { only: noReads }),
    ],
    [
      'minimum sizes where storage is free',
      'us-west-2',
      group('a/', 'STANDARD_IA', 0, 10, 1),
      usage([gratis('USW2-Any')]),
    ],
    [
      'tiers that hold nothing',
      'eu-west-1',
      group('a/', 'INTELLIGENT_TIERING', 0, 1, 1_000_000),
      usage([gratis('EU-Monitoring-Automation-INT'), row('EU-Any', 1, { listUsd: 9 })], {
        only: { tiers: noTiers },
      }),
    ],
  ] as const)
    it(`take nothing from the confidence for ${what}`, () => {
      const decision = decideOn([bucket([held], { name: 'only', region })], { usage: known });
      assert.deepEqual([decision.recommendations, decision.report.confidence], [[], 0.9]);
    });

  it('count half a read as one, however it is computed', () => {
    const [big, small] = [70, 30].map((count) =>
      bucket([group('a/', 'STANDARD', 1, count)], { name: `${count}` }),
    );
    const { bill, metrics } = usage([gets(30)]);
    const decision = decideOn(big && small ? [big, small] : [], {
      usage: { bill: bill && { ...bill, period: '2026-02' }, metrics },
    });
    // 30 × 30 / 28 × 70 %.
    assert.equal(readsOf(decision, '70')?.getsPerMonth, 23);
  });

  it('price tiers as they were measured, small objects in the frequent one', () => {
    const groups = [
      group('a/', 'INTELLIGENT_TIERING', 0, 1, 40 * GIB),
      group('b/', 'INTELLIGENT_TIERING', 0, 1_000, 1_024),
    ];
    const tiers = {
      frequent: 10 * GIB,
      infrequent: 30 * GIB,
      archiveInstant: 0,
      archive: 0,
      deepArchive: 0,
    };
    const decision = decideOn([bucket(groups, { name: 'only' })], {
      usage: usage([], { only: { tiers } }),
    });
    // 10 × 0.023 + 30 × 0.0125 and a monitored object, less what the small ones are of the first.
    assert.equal(decision.currentMonthlyCostUsd, 0.605003);
  });

  for (const [name, days, period] of [
    ['a month of 31 days', 31, '2026-10'],
    ['February', 28, '2026-02'],
    ['February of a leap year', 29, '2028-02'],
  ] as const)
    it(`count ${name} as one of thirty`, () => {
      const { bill, metrics } = usage([gets(days * 100)]);
      const decision = decideOn([young('only')], {
        usage: { bill: bill && { ...bill, period }, metrics },
      });
      assert.equal(readsOf(decision, 'only')?.getsPerMonth, 3_000);
    });
});
