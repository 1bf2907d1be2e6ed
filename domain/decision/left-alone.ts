import { compareKeys } from '../inventory/key-order.ts';
import { comparable, shown, sumBy } from './amounts.ts';
import { movable, totalsByClass } from './bucket.ts';
import { monthlyCost } from './costs.ts';
import type { PricedBucket } from './model.ts';
import { MAX_LEFT_ALONE, type LeftAlone, type LeftAloneCode } from './types.ts';

const MESSAGES: Readonly<Record<LeftAloneCode, string>> = {
  routed:
    'Files of this service: it finds them in this place only. Nothing of them is moved, changed or deleted, and no rule is recommended that would cover the whole bucket.',
};

/** What is left alone although it could move, the most expensive first. */
export function listLeftAlone(buckets: readonly PricedBucket[]): readonly LeftAlone[] {
  return buckets
    .flatMap(leftAloneOf)
    .sort(
      (a, b) =>
        comparable(b.monthlyUsd) - comparable(a.monthlyUsd) ||
        compareKeys(a.row.bucket, b.row.bucket),
    )
    .slice(0, MAX_LEFT_ALONE)
    .map(({ row }) => row);
}

function leftAloneOf({ inventory, groups, leftAlone }: PricedBucket) {
  return [...leftAlone].flatMap(([prefix, code]) => {
    const held = groups.filter((group) => group.prefix === prefix);
    if (movable(held).length === 0) return [];
    const totals = totalsByClass(held);
    const message = MESSAGES[code];
    const objects = sumBy(totals, ({ statistics }) => statistics.objects);
    const bytes = sumBy(totals, ({ statistics }) => statistics.bytes);
    const monthlyUsd = sumBy(
      totals,
      ({ rates, statistics }) => monthlyCost(rates, statistics).none,
    );
    const row = { bucket: inventory.name, prefix, code, message, objects, bytes };
    return [{ monthlyUsd, row: { ...row, monthlyCostUsd: shown(monthlyUsd) } }];
  });
}
