import { ageBandTitle, sizeBandTitle } from '../shared/bands.ts';
import type { BucketDecision } from '../domain/decision/types.ts';
import {
  formatBytes,
  formatCount,
  formatLess,
  formatMoney,
  formatNumber,
} from '../shared/amounts.ts';
import { AGE_BANDS, SIZE_BANDS } from '../domain/inventory/bands.ts';
import type { BucketInventory, Count } from '../domain/inventory/inventory.ts';
import type { ScannedBucket } from '../domain/scans/scan.ts';
import {
  heading,
  paragraph,
  table,
  type Bars,
  type Block,
  type Shares,
  type Text,
} from './blocks.ts';
import { formatAmount, NOTHING, toAmounts, type Amount, type Totals } from './steps.ts';

/** The groups of a bucket are summed on arrival, so that thousands of buckets fit in memory. */
export interface ReportedBucket {
  readonly name: string;
  readonly region: string;
  readonly objects: number;
  readonly bytes: number;
  readonly error: BucketInventory['error'];
  readonly decision: BucketDecision;
  readonly holds: readonly { readonly by: string; readonly parts: readonly Part[] }[];
}

interface Part {
  readonly label: string;
  readonly bytes: number;
}

const MAX_HELD = 15;
const MAX_DRAWN = 8;

export function toReported({ inventory, decision }: ScannedBucket): ReportedBucket {
  const { name, region, groups, bySize, byContent, error } = inventory;
  const classes = new Map<string, number>();
  for (const { storageClass, bytes } of groups)
    classes.set(storageClass, (classes.get(storageClass) ?? 0) + bytes);
  return {
    name,
    region,
    objects: addUp(groups.map(({ objects }) => objects)),
    bytes: addUp(groups.map(({ bytes }) => bytes)),
    error,
    decision,
    holds: [
      {
        by: 'Age',
        parts: AGE_BANDS.map((name, band) => ({
          label: ageBandTitle(name),
          bytes: totalBytes(groups.filter(({ ageBand }) => ageBand === band)),
        })),
      },
      {
        by: 'Object size',
        parts: SIZE_BANDS.map((name, band) => ({
          label: sizeBandTitle(name),
          bytes: bySize[band]?.bytes ?? 0,
        })),
      },
      { by: 'Storage class', parts: largestFirst([...classes].map(toPart)) },
      {
        by: 'Content',
        parts: largestFirst(byContent.map(({ kind, bytes }) => toPart([kind, bytes]))),
      },
    ],
  };
}

function toPart([label, bytes]: readonly [string, number]): Part {
  return { label, bytes };
}

function totalBytes(counts: readonly Count[]): number {
  return addUp(counts.map(({ bytes }) => bytes));
}

function largestFirst(parts: readonly Part[]): readonly Part[] {
  return parts.toSorted((a, b) => b.bytes - a.bytes);
}

/** The most expensive bucket first; each row and each column adds up as it is shown. */
export function bucketSection(
  buckets: readonly ReportedBucket[],
  { nowUsd, afterUsd }: Totals,
): readonly Block[] {
  if (buckets.length === 0) return [];
  const ordered = mostExpensiveFirst(buckets);
  const decided = ordered.map(({ decision }) => decision);
  const now = toAmounts(
    decided.map(({ currentMonthlyCostUsd }) => currentMonthlyCostUsd),
    nowUsd,
  );
  const after = toAmounts(
    decided.map(({ optimalMonthlyCostUsd }) => optimalMonthlyCostUsd),
    afterUsd,
  );
  const rows = ordered.map((bucket, at) => {
    const [today = NOTHING, then = NOTHING] = [now[at], after[at]];
    const saved = { usd: today.usd - then.usd, cents: today.cents - then.cents };
    return { bucket, now: today, saved, after: then };
  });
  return [
    heading('Bucket by bucket'),
    drawnCosts(rows),
    table(
      ['Bucket', 'Region', '#Objects', '#Size', '#Today, a month', '#Saved', '#Afterwards'],
      [
        ...rows
          .filter(({ bucket }) => !isEmpty(bucket))
          .map(({ bucket, ...amounts }) => [
            { code: bucket.name },
            bucket.region,
            describeObjects(bucket),
            formatBytes(bucket.bytes),
            formatAmount(amounts.now),
            formatAmount(amounts.saved),
            formatAmount(amounts.after),
          ]),
        ...emptyRow(buckets.filter(isEmpty)),
        [
          'Total',
          '',
          formatNumber(addUp(buckets.map(({ objects }) => objects))),
          formatBytes(addUp(buckets.map(({ bytes }) => bytes))),
          formatMoney(nowUsd),
          formatLess(nowUsd, afterUsd),
          formatMoney(afterUsd),
        ],
      ],
      true,
    ),
  ];
}

function addUp(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function describeObjects({ objects, error }: ReportedBucket): string {
  if (error === null) return formatNumber(objects);
  return objects > 0 ? `${formatNumber(objects)} (read in part)` : 'not read';
}

function isEmpty({ objects, error, decision }: ReportedBucket): boolean {
  return objects === 0 && error === null && decision.currentMonthlyCostUsd === 0;
}

/** All empty buckets in one row. */
function emptyRow(empty: readonly ReportedBucket[]): Text[][] {
  if (empty.length === 0) return [];
  const names = empty.flatMap(({ name }, at) => [at === 0 ? '' : ', ', { code: name }]);
  const none = formatMoney(0);
  return [[[...names, ' (empty)'], '', '0', formatBytes(0), none, none, none]];
}

function mostExpensiveFirst(buckets: readonly ReportedBucket[]): readonly ReportedBucket[] {
  return buckets.toSorted(
    (a, b) => b.decision.currentMonthlyCostUsd - a.decision.currentMonthlyCostUsd,
  );
}

interface BucketCosts {
  readonly bucket: ReportedBucket;
  readonly now: Amount;
  readonly after: Amount;
}

function drawnCosts(costs: readonly BucketCosts[]): Bars {
  const drawn = costs.slice(0, MAX_DRAWN).filter(({ now }) => now.usd > 0);
  const bar = (amount: Amount) => ({ value: amount.usd, text: formatAmount(amount) });
  return {
    kind: 'bars',
    title:
      drawn.length < costs.length
        ? `Cost a month of the ${formatCount(drawn.length, 'most expensive bucket')}`
        : 'Cost a month by bucket',
    series: ['today', 'afterwards'],
    groups: drawn.map(({ bucket, now, after }) => ({
      label: bucket.name,
      bars: [bar(now), bar(after)],
    })),
  };
}

/** Ages, sizes, classes and content of the most expensive buckets, by share of their size. */
export function holdingsSection(buckets: readonly ReportedBucket[]): readonly Block[] {
  const filled = mostExpensiveFirst(buckets.filter(({ bytes }) => bytes > 0));
  if (filled.length === 0) return [];
  const shown = filled.slice(0, MAX_HELD);
  const others = filled.slice(shown.length);
  return [
    heading('Appendix: what the buckets hold'),
    paragraph('Shares of the size of the current objects.'),
    ...shown.flatMap((bucket) => [
      heading(
        [
          { code: bucket.name },
          `: ${formatCount(bucket.objects, 'object')}, ${formatBytes(bucket.bytes)}`,
        ],
        3,
      ),
      toShares(bucket),
    ]),
    ...(others.length === 0
      ? []
      : [
          paragraph(
            `${formatCount(others.length, 'more bucket')} ${others.length === 1 ? 'holds' : 'hold'} ${formatBytes(addUp(others.map(({ bytes }) => bytes)))}; the result as JSON has them all.`,
          ),
        ]),
  ];
}

function toShares({ bytes, holds }: ReportedBucket): Shares {
  return {
    kind: 'shares',
    rows: holds.map(({ by, parts }) => ({
      name: by,
      parts: parts
        .filter((part) => part.bytes > 0)
        .map((part) => ({ label: part.label, share: part.bytes / bytes })),
    })),
  };
}
