import { sumBy } from '../common/sums.ts';
import { compareKeys, compareNullable } from '../inventory/key-order.ts';
import { comparable, shown } from './amounts.ts';
import { movable, totalsByClass } from './bucket.ts';
import { stayForecast, storageCost } from './costs.ts';
import type { PricedBucket, PricedGroup } from './model.ts';
import { MAX_LEFT_ALONE, type LeftAlone, type LeftAloneCode } from './types.ts';

const MESSAGES: Readonly<Record<LeftAloneCode, string>> = {
  routed:
    'Files of this service: it finds them in this place only. Nothing of them is moved, changed or deleted, and no rule is recommended that would cover the whole bucket.',
  kept: 'You asked for it: the bucket has the tag storage-routing=keep.',
  locked:
    'Object Lock is enabled: what is locked cannot be deleted at the source, so a move would be paid twice. Its class may change.',
  replicated:
    'A replication rule copies it: a move would break the replica, or what depends on it.',
  tool: 'A tool has created the bucket, by its name: it expects to find its objects there.',
  aws_logs: 'AWS services write logs here, and their readers expect them here.',
  state: 'It holds Terraform state, which is read and locked where it is.',
  table: 'It holds a table of Delta, Hudi or Iceberg: its files name each other by their bucket.',
  expires:
    'A lifecycle rule deletes it within two years: a copy elsewhere would not expire by that rule.',
  short_lived:
    'All of it is young in an older bucket: it is deleted before a move or a change pays.',
};

/** What is left alone although it could move, the most expensive first. */
export function listLeftAlone(buckets: readonly PricedBucket[]): readonly LeftAlone[] {
  return buckets
    .flatMap(leftAloneOf)
    .sort(
      (a, b) =>
        comparable(b.monthlyUsd) - comparable(a.monthlyUsd) ||
        compareKeys(a.row.bucket, b.row.bucket) ||
        compareNullable(a.row.prefix, b.row.prefix),
    )
    .slice(0, MAX_LEFT_ALONE)
    .map(({ row }) => row);
}

function leftAloneOf(bucket: PricedBucket) {
  const { groups, leftAlone, leftAlonePrefixes } = bucket;
  const rows = [...leftAlonePrefixes]
    .filter(([, code]) => leftAlone === null || code === 'routed')
    .flatMap(([prefix, code]) => {
      const held = groups.filter((group) => group.prefix === prefix);
      return movable(held).length > 0 ? [leftAloneRow(bucket, prefix, code, held, 0)] : [];
    });
  return leftAlone === null ? rows : [...rows, ...bucketRow(bucket, leftAlone)];
}

/** One row of the bucket without this service's files, where something is left alone. */
function bucketRow(bucket: PricedBucket, code: LeftAloneCode) {
  const { groups, leftAlonePrefixes, oldVersions, uploadParts, inventory } = bucket;
  const held = groups.filter(({ prefix }) => leftAlonePrefixes.get(prefix) !== 'routed');
  const isDeletable = oldVersions.some((versions) => versions.isDeletable);
  const isHeld =
    movable(held).length > 0 ||
    ((code === 'kept' || code === 'locked') && isDeletable) ||
    (code === 'kept' && inventory.incompleteUploads.abortable.uploads > 0);
  if (!isHeld) return [];
  const others = storageCost(bucket, [...oldVersions, uploadParts]).monthlyCostUsd;
  return [leftAloneRow(bucket, null, code, held, others)];
}

function leftAloneRow(
  bucket: PricedBucket,
  prefix: string | null,
  code: LeftAloneCode,
  held: readonly PricedGroup[],
  othersUsd: number,
) {
  const totals = totalsByClass(held);
  const objects = sumBy(totals, ({ statistics }) => statistics.objects);
  const bytes = sumBy(totals, ({ statistics }) => statistics.bytes);
  const monthlyUsd = stayForecast(bucket, totals).shownUsd + othersUsd;
  const row = {
    bucket: bucket.inventory.name,
    prefix,
    code,
    message: MESSAGES[code],
    objects,
    bytes,
  };
  return { monthlyUsd, row: { ...row, monthlyCostUsd: shown(monthlyUsd) } };
}
