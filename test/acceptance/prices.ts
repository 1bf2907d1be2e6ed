import { Fraction } from '../oracle/fraction.ts';
import type { Provider } from './target.ts';

/**
 * The price of one file, computed independently of the service: from the listed prices, in exact fractions, without any
 * code of the service.
 */

/**
 * USD per GB and month, per million PUTs, per million GETs, per GB of egress, and how often stored bytes may be read before
 * egress is charged.
 */
type Sheet = readonly [
  bytesPerGb: bigint,
  storage: string,
  puts: string,
  gets: string,
  egress: string,
  freeReads: string,
];

const SHEETS = {
  aws: [2n ** 30n, '0.023', '5', '0.4', '0.09', '0'],
  'aws eu-central-1': [2n ** 30n, '0.0245', '5.4', '0.43', '0.09', '0'],
  r2: [10n ** 9n, '0.015', '4.5', '0.36', '0', '0'],
  b2: [10n ** 9n, '0.00695', '0', '0', '0.01', '3'],
} as const satisfies Record<Provider | 'aws eu-central-1', Sheet>;

export type SheetName = keyof typeof SHEETS;

const PROFILES = {
  hot: { monthsKept: '1', readsPerMonth: '1' },
  cold: { monthsKept: '12', readsPerMonth: '0.1' },
  archive: { monthsKept: '36', readsPerMonth: '0.01' },
} as const;

export type Priority = keyof typeof PROFILES;

/** USD per month, as the API shows it. */
export function costUsd(sheet: SheetName, sizeBytes: number, priority: Priority): number {
  return exactCost(sheet, sizeBytes, priority).toUsd();
}

/** The difference between the first and the second cost in USD per month, as the API shows it. */
export function savedUsd(
  baseline: SheetName,
  chosen: SheetName,
  sizeBytes: number,
  priority: Priority,
): number {
  const [dear, cheap] = [baseline, chosen].map((name) => exactCost(name, sizeBytes, priority));
  return (dear ?? Fraction.ZERO).minus(cheap ?? Fraction.ZERO).toUsd();
}

function exactCost(name: SheetName, sizeBytes: number, priority: Priority): Fraction {
  const [bytesPerGb, storage, puts, gets, egress, freeReads] = SHEETS[name];
  const of = (decimal: string | bigint | number) => Fraction.of(decimal);
  const gb = of(sizeBytes).dividedBy(of(bytesPerGb));
  const { monthsKept, readsPerMonth } = PROFILES[priority];
  const reads = of(readsPerMonth);
  const chargedReads = reads.minus(of(freeReads).min(reads));
  return Fraction.sum([
    gb.times(of(storage)),
    of(puts).dividedBy(of(1_000_000)).dividedBy(of(monthsKept)),
    reads.times(of(gets)).dividedBy(of(1_000_000)),
    gb.times(chargedReads).times(of(egress)),
  ]);
}
