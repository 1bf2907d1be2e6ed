import type { BucketDecision } from '../../../domain/decision/types.ts';
import { formatBytes, formatCount, formatNumber } from '../../../domain/common/format.ts';
import { AGE_BANDS, SIZE_BANDS } from '../../../domain/inventory/bands.ts';
import type { BucketInventory, Count } from '../../../domain/inventory/inventory.ts';
import type { ScannedBucket } from '../../../domain/scan/scan.ts';
import { addAmounts, type Units } from './amounts.ts';
import {
  heading,
  paragraph,
  table,
  type Bars,
  type Block,
  type Shares,
  type Text,
} from './blocks.ts';
import type { Step } from './steps.ts';

/** A bucket in the report: its groups are summed on arrival, so that thousands of buckets fit in memory. */
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

const AGE_NAMES = ['under 30 days', '30 to 90 days', '90 days to a year', 'over a year'];
const SIZE_NAMES = [
  'under 128 KiB',
  '128 KiB to 1 MiB',
  '1 to 64 MiB',
  '64 MiB to 5 GiB',
  'over 5 GiB',
];

export function toReported({ inventory, decision }: ScannedBucket): ReportedBucket {
  const { name, region, groups, bySize, byContent, error } = inventory;
  const classes = new Map<string, number>();
  for (const { storageClass, bytes } of groups)
    classes.set(storageClass, (classes.get(storageClass) ?? 0) + bytes);
  return {
    name,
    region,
    objects: addAmounts(groups.map(({ objects }) => objects)),
    bytes: addAmounts(groups.map(({ bytes }) => bytes)),
    error,
    decision,
    holds: [
      {
        by: 'Age',
        parts: AGE_BANDS.map((_, band) => ({
          label: AGE_NAMES[band] ?? '',
          bytes: totalBytes(groups.filter(({ ageBand }) => ageBand === band)),
        })),
      },
      {
        by: 'Object size',
        parts: SIZE_BANDS.map((_, band) => ({
          label: SIZE_NAMES[band] ?? '',
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
  return addAmounts(counts.map(({ bytes }) => bytes));
}

function largestFirst(parts: readonly Part[]): readonly Part[] {
  return parts.toSorted((a, b) => b.bytes - a.bytes);
}

/** The buckets with their costs, the most expensive first; the columns add up. */
export function bucketSection(
  buckets: readonly ReportedBucket[],
  steps: readonly Step[],
  storageNow: number,
  units: Units,
): readonly Block[] {
  if (buckets.length === 0) return [];
  const savedIn = new Map<string, number>();
  for (const { recommendation, saved } of steps)
    savedIn.set(recommendation.bucket, (savedIn.get(recommendation.bucket) ?? 0) + saved);
  const costs = mostExpensiveFirst(buckets).map((bucket) => {
    const now = units.fromUsd(bucket.decision.currentMonthlyCostUsd);
    const saved = savedIn.get(bucket.name) ?? 0;
    return { bucket, now, saved };
  });
  const rounding = storageNow - addAmounts(costs.map(({ now }) => now));
  const saved = addAmounts(costs.map((cost) => cost.saved));
  return [
    heading('Bucket by bucket'),
    drawnCosts(costs, units),
    table(
      ['Bucket', 'Region', '#Objects', '#Size', '#Today, a month', '#Saved', '#Afterwards'],
      [
        ...costs
          .filter(({ bucket }) => !isEmpty(bucket))
          .map(({ bucket, now, saved: ofBucket }) => [
            { code: bucket.name },
            bucket.region,
            describeObjects(bucket),
            formatBytes(bucket.bytes),
            units.show(now),
            units.show(ofBucket),
            units.show(now - ofBucket),
          ]),
        ...emptyRow(buckets.filter(isEmpty), units),
        ...(rounding === 0
          ? []
          : [['Rounding', '', '', '', units.showChange(rounding), '', units.showChange(rounding)]]),
        [
          'Together',
          '',
          formatNumber(addAmounts(buckets.map(({ objects }) => objects))),
          formatBytes(addAmounts(buckets.map(({ bytes }) => bytes))),
          units.show(storageNow),
          units.show(saved),
          units.show(storageNow - saved),
        ],
      ],
      true,
    ),
  ];
}

function describeObjects({ objects, error }: ReportedBucket): string {
  if (error === null) return formatNumber(objects);
  return objects > 0 ? `${formatNumber(objects)} (read in part)` : 'not read';
}

function isEmpty({ objects, error, decision }: ReportedBucket): boolean {
  return objects === 0 && error === null && decision.currentMonthlyCostUsd === 0;
}

/** All empty buckets in one row. */
function emptyRow(empty: readonly ReportedBucket[], units: Units): Text[][] {
  if (empty.length === 0) return [];
  const names = empty.flatMap(({ name }, at) => [at === 0 ? '' : ', ', { code: name }]);
  const none = units.show(0);
  return [[[...names, ' (empty)'], '', '0', formatBytes(0), none, none, none]];
}

function mostExpensiveFirst(buckets: readonly ReportedBucket[]): readonly ReportedBucket[] {
  return buckets.toSorted(
    (a, b) => b.decision.currentMonthlyCostUsd - a.decision.currentMonthlyCostUsd,
  );
}

interface BucketCosts {
  readonly bucket: ReportedBucket;
  readonly now: number;
  readonly saved: number;
}

function drawnCosts(costs: readonly BucketCosts[], units: Units): Bars {
  const drawn = costs.slice(0, MAX_DRAWN).filter(({ now }) => now > 0);
  const bar = (amount: number) => ({ value: units.toUsd(amount), text: units.show(amount) });
  return {
    kind: 'bars',
    title:
      drawn.length < costs.length
        ? `Cost a month of the ${formatCount(drawn.length, 'most expensive bucket')}`
        : 'Cost a month by bucket',
    series: ['today', 'afterwards'],
    groups: drawn.map(({ bucket, now, saved }) => ({
      label: bucket.name,
      bars: [bar(now), bar(now - saved)],
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
    heading('What the buckets hold'),
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
            `${formatCount(others.length, 'more bucket')} ${others.length === 1 ? 'holds' : 'hold'} ${formatBytes(addAmounts(others.map(({ bytes }) => bytes)))}; the result as JSON has them all.`,
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
