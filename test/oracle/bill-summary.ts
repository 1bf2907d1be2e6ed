import type { Bill } from '../../domain/bill/bill.ts';
import type { PriceLine } from '../../domain/bill/usage-types.ts';
import type { BillSummary } from '../../domain/decision/types.ts';
import { factorOf, total, type Line } from './bill.ts';
import { Fraction } from './fraction.ts';
import { compareUtf8 } from './inventory.ts';
import { AWS, figureOrNone, gb, first } from './prices.ts';
import { sheetOf, STANDARD, type Bucket, type Held } from './storage.ts';

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
  const sheet = sheetOf(held);
  const kib = (name: string, part?: string) => {
    const found = figureOrNone(sheet, name, part);
    return found === null ? null : first(found).times(gb(AWS, 1024));
  };
  const minimum = kib('minBillableKiB');
  const large = gb(AWS, held.bytes - held.smallBytes);
  const small = minimum?.times(Fraction.of(held.smallObjects)) ?? gb(AWS, held.smallBytes);
  const overhead = (part: string) =>
    kib('overheadKiB', part)?.times(Fraction.of(held.objects)) ?? Fraction.ZERO;
  return [
    [held.storageClass, large.plus(small).plus(overhead('atClassRate'))],
    [STANDARD, overhead('atStandardRate')],
  ];
}

/** The GB that a scan would be billed, by region and class. */
export function listedGb(buckets: readonly Bucket[]): ReadonlyMap<string, Fraction> {
  const listed = new Map<string, Fraction>();
  for (const { region, groups, oldVersions, incompleteUploads } of buckets) {
    const versions = oldVersions.map((one) =>
      Object.assign({ provider: AWS, region, ageBand: 0 }, one),
    );
    const parts = [STANDARD, gb(AWS, incompleteUploads.bytes)] as const;
    for (const [storageClass, more] of [...[...groups, ...versions].flatMap(billedGb), parts]) {
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

/** The share of the billed storage that was listed; null where nothing was billed. */
export function explainedShare(
  lines: readonly Line[],
  listed: ReturnType<typeof listedGb>,
): Fraction | null {
  const storage = lines.filter(({ line }) => line === 'storage');
  const paid = total(storage, 'list');
  if (paid.isZero()) return null;
  const explained = alike(storage, placeOf).map((here) => {
    const [line] = here;
    const found = (line && listed.get(placeOf(line))) ?? Fraction.ZERO;
    return total(here, 'list').times(found.dividedBy(total(here, 'quantity')).min(Fraction.of(1)));
  });
  return Fraction.sum(explained).dividedBy(paid);
}

function factorsOf(lines: readonly Line[]): BillSummary['factors'] {
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
    lines: lines
      .toSorted(
        (a, b) =>
          b.list.compare(a.list) ||
          compareUtf8(a.region ?? '', b.region ?? '') ||
          compareUtf8(a.usageType, b.usageType),
      )
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
