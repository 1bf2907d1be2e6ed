import assert from 'node:assert/strict';
import type { AccountUsage, BillRow } from '../../../../domain/bill/bill.ts';
import { bucket, decideOn, group } from './inventories.ts';

/** The only bucket: 10,000 young objects of 10 MiB under `a/`. */
const YOUNG = [bucket([group('a/', 'STANDARD', 0)])];

const row = (
  usageType: string,
  quantity: number,
  listUsd = 0,
  more: Partial<BillRow> = {},
): BillRow => ({
  usageType,
  operation: '',
  quantity,
  unit: 'GB-Month',
  listUsd,
  netUsd: listUsd,
  ...more,
});
/** Of a month of 30 days. */
const billed = (...rows: readonly BillRow[]): AccountUsage => ({
  bill: { period: '2026-09', estimated: false, rows },
  metrics: new Map(),
});
const gets = (count: number) => row('Requests-Tier2', count, 0, { operation: 'GetObject' });

describe('the customer’s own bill and reads', () => {
  it('worked: 100,000 reads of the bill, none of them to the internet', () => {
    const decision = decideOn(YOUNG, { usage: billed(gets(100_000)) });
    assert.equal(decision.currentMonthlyCostUsd, 2.266094);
    assert.deepEqual(decision.buckets[0]?.reads, {
      source: 'apportioned',
      getsPerMonth: 100_000,
      bytesPerMonth: 1_048_576_000_000,
      internetBytesPerMonth: 0,
    });
    const [stay] = decision.report.readScenarios.filter(({ reads }) => reads === 'expected');
    assert.equal(stay?.stayMonthlyUsd, 2.286094);
    const { recommendations } = decision;
    const options = recommendations.flatMap(({ options: all }) => all);
    console.log(
      JSON.stringify(
        recommendations.map((r) => [r.kind, r.reasons]),
        null,
        1,
      ),
      decision.report.assumptions,
      options.map((o) => [o.provider, o.placedMonthlyUsd]),
    );
  });
  it('worked: the same reads, all of them to the internet', () => {
    const usage = billed(gets(100_000), row('DataTransfer-Out-Bytes', 976.5625));
    const decision = decideOn(YOUNG, { usage });
    const [stay] = decision.report.readScenarios.filter(({ reads }) => reads === 'expected');
    assert.equal(stay?.stayMonthlyUsd, 90.176719);
    console.log(
      JSON.stringify(
        decision.recommendations.map((r) => [
          r.kind,
          r.reasons,
          r.options.map((o) => [o.provider, o.placedMonthlyUsd]),
        ]),
        null,
        1,
      ),
      decision.report.assumptions,
      decision.bill,
    );
  });
});
