import type { Bill } from '../../domain/bill/bill.ts';
import type { PriceLine } from '../../domain/bill/usage-types.ts';
import type { BillSummary } from '../../domain/decision/types.ts';
import { factorOf, total, type Line } from './bill.ts';
import { Fraction } from './fraction.ts';
import { compareUtf8 } from './inventory.ts';
import { AWS, gb, STANDARD } from './prices.ts';
import { billedBytes, sheetOf, type Bucket, type Held } from './storage.ts';

/** Section 8 of the pricing rules: the bill beside what was listed. */

/** In the order of factors. */
const LINES: readonly PriceLine[] = [
  'storage',
  'put',
  'get',
  'retrieval',
  'egress',
  'monitoring',
  'other',
];

const placeOf = (place: Pick<Line, 'region' | 'storageClass'>) =>
  `${place.region} ${place.storageClass}`;

/** The GB that some objects would be billed, of their class and of STANDARD. */
function billedGb(held: Held): readonly (readonly [storageClass: string, gb: Fraction])[] {
  const billed = billedBytes(sheetOf(held), held);
  return [
    [held.storageClass, gb(AWS, billed.own)],
    [STANDARD, gb(AWS, billed.standard)],
  ];
}

/** The GB that a scan would be billed, by region and class. */
export function listedGb(buckets: readonly Bucket[]): ReadonlyMap<string, Fraction> {
  const listed = new Map<string, Fraction>();
  for (const { region, groups, oldVersions, incompleteUploads } of buckets) {
    const parts = [STANDARD, gb(AWS, incompleteUploads.bytes)] as const;
    for (const [storageClass, more] of [...[...groups, ...oldVersions].flatMap(billedGb), parts]) {
      const place = placeOf({ region, storageClass });
      listed.set(place, (listed.get(place) ?? Fraction.ZERO).plus(more));
    }
  }
  return listed;
}

/** By places, the lines that are alike. */
function alike(lines: readonly Line[], keyOf: (line: Line) => string): Line[][] {
  const keys = [...new Set(lines.map(keyOf))];
  return keys.map((key) => lines.filter((line) => keyOf(line) === key));
}

/** Each storage line with the share of its class in its region that was listed. */
function storageShares(lines: readonly Line[], listed: ReturnType<typeof listedGb>) {
  return alike(
    lines.filter(({ line }) => line === 'storage'),
    placeOf,
  ).flatMap((here) => {
    const [one] = here;
    const found = (one && listed.get(placeOf(one))) ?? Fraction.ZERO;
    const billed = total(here, 'quantity');
    const isAll = !billed.isPositive() || !found.isBelow(billed);
    const share = isAll ? Fraction.of(Number(!found.isZero())) : found.dividedBy(billed);
    return here.map((line) => ({ line, share }));
  });
}

/** The share of the billed storage that was listed; null where nothing was billed. */
export function explainedShare(
  lines: readonly Line[],
  listed: ReturnType<typeof listedGb>,
): Fraction | null {
  const shares = storageShares(lines, listed);
  const paid = Fraction.sum(shares.map(({ line }) => line.list));
  if (!paid.isPositive()) return null;
  return Fraction.sum(shares.map(({ line, share }) => line.list.times(share))).dividedBy(paid);
}

const MOST_UNEXPLAINED = 20;

/** What of the billed storage was not listed: the sum, and by line. */
function unexplainedOf(lines: readonly Line[], listed: ReturnType<typeof listedGb>) {
  const open = storageShares(lines, listed).map(({ line, share }) => ({
    line,
    usd: line.list.times(Fraction.of(1).minus(share)),
  }));
  return {
    unexplainedUsd: Fraction.sum(open.map(({ usd }) => usd)).toUsd(),
    unexplained: open
      .map(({ line, usd }) => ({ line, usd: usd.toUsd() }))
      .filter(({ usd }) => usd > 0)
      .sort((a, b) => b.usd - a.usd || compareLines(a.line, b.line))
      .slice(0, MOST_UNEXPLAINED)
      .map(({ line: { region, usageType }, usd }) => ({ region, usageType, usd })),
  };
}

const compareLines = (a: Line, b: Line): number =>
  compareUtf8(a.region ?? '', b.region ?? '') || compareUtf8(a.usageType, b.usageType);

export function factorsOf(lines: readonly Line[]): BillSummary['factors'] {
  const keyOf = ({ region, line, storageClass }: Line) =>
    [region ?? '', LINES.indexOf(line), storageClass ?? ''].join(' ');
  const own = alike(lines, keyOf).sort(([a], [b]) =>
    compareUtf8(a ? keyOf(a) : '', b ? keyOf(b) : ''),
  );
  return own.flatMap((here) => {
    const [{ region, line, storageClass } = { region: null }] = here;
    const factor = factorOf(here)?.toDecimals(4) ?? 1;
    return region === null || factor >= 1 ? [] : [{ region, line, storageClass, factor }];
  });
}

export function summaryOf(
  bill: Bill,
  lines: readonly Line[],
  listed: ReturnType<typeof listedGb>,
): BillSummary {
  const listedIn = (place: Parameters<typeof placeOf>[0]) =>
    (listed.get(placeOf(place)) ?? Fraction.ZERO).toDecimals(6);
  return {
    period: bill.period,
    estimated: bill.estimated,
    listUsd: total(lines, 'list').toUsd(),
    netUsd: total(lines, 'net').toUsd(),
    explainedShare: explainedShare(lines, listed)?.toDecimals(4) ?? null,
    factors: factorsOf(lines),
    ...unexplainedOf(lines, listed),
    lines: lines
      .toSorted((a, b) => b.list.compare(a.list) || compareLines(a, b))
      .map(({ region, usageType, line, storageClass, unit, ...sums }) => ({
        region,
        usageType,
        line,
        storageClass,
        unit,
        quantity: sums.quantity.toDecimals(6),
        listUsd: sums.list.toUsd(),
        netUsd: sums.net.toUsd(),
        listedQuantity: line === 'storage' ? listedIn({ region, storageClass }) : null,
      })),
  };
}
