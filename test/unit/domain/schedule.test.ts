import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { dueAfter, firstDue } from '../../../domain/common/schedule.ts';

const DAY_MS = 86_400_000;
/** The most between two times. */
const DAYS = { day: 1, week: 7, month: 31, quarter: 92 };
const PERIODS = Object.keys(DAYS) as (keyof typeof DAYS)[];
const isOfMonths = (every: string) => every === 'month' || every === 'quarter';
const isOfMonth = (time: Date) => time.getUTCDate() >= 6 && time.getUTCDate() <= 28;
const instant = fc.date({
  min: new Date('2026-01-01'),
  max: new Date('2028-12-31'),
  noInvalidDate: true,
});
const rule = fc.record({
  every: fc.constantFrom(...PERIODS),
  hourUtc: fc.integer({ min: 0, max: 23 }),
});

describe('a schedule', () => {
  it('is due at first within a day, of a month on its own day, in its hour, at its subject’s own second', () => {
    fc.assert(
      fc.property(rule, fc.uuid(), instant, (of, connectionId, now) => {
        const first = firstDue(of, connectionId, now);
        const waitMs = first.getTime() - now.getTime();
        assert.ok(waitMs > 0 && waitMs <= (isOfMonths(of.every) ? 31 : 1) * DAY_MS);
        assert.ok(!isOfMonths(of.every) || isOfMonth(first));
        assert.equal(first.getUTCHours(), of.hourUtc);
        assert.deepEqual(firstDue(of, connectionId, new Date(first.getTime() - 1)), first);
      }),
    );
    const hour = { every: 'day', hourUtc: 3 } as const;
    const seconds = [1, 2, 3].map((one) => firstDue(hour, `${one}`, new Date(0)).getTime());
    assert.equal(new Set(seconds).size, 3);
    const month = { every: 'month', hourUtc: 3 } as const;
    const ids = Array.from({ length: 1_000 }, (_, at) => `${at}`);
    const days = ids.map((id) => firstDue(month, id, new Date(0)).getUTCDate());
    assert.equal(new Set(days).size, 23, 'each day from the 6th to the 28th');
  });

  it('is due again after whole periods, once for all that was missed', () => {
    fc.assert(
      fc.property(
        rule,
        fc.uuid(),
        instant,
        fc.integer({ min: 0, max: 400 * DAY_MS }),
        (of, id, at, late) => {
          const last = firstDue(of, id, at);
          const now = new Date(last.getTime() + late);
          const next = dueAfter(of, last, now);
          const periodMs = DAYS[of.every] * DAY_MS;
          assert.ok(next > now && next.getTime() - now.getTime() <= periodMs);
          const months = (next.getUTCFullYear() - last.getUTCFullYear()) * 12 + next.getUTCMonth();
          if (of.every === 'quarter') assert.equal((months - last.getUTCMonth()) % 3, 0);
          if (isOfMonths(of.every)) assert.equal(next.getUTCDate(), last.getUTCDate());
          else assert.equal((next.getTime() - last.getTime()) % periodMs, 0);
          assert.equal(next.getUTCHours(), of.hourUtc);
        },
      ),
    );
  });
});
