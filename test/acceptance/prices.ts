import { Fraction } from '../oracle/fraction.ts';
import type { Provider } from './target.ts';

/**
 * The price of one file, computed independently of the service: from the listed prices, in exact fractions, without any
 * code of the service.
 */

interface Sheet {
  readonly bytesPerGb: bigint;
  readonly storagePerGbMonth: string;
  readonly putPerMillion: string;
  readonly getPerMillion: string;
  readonly egressPerGb: string;
  /** How often stored bytes may be read before egress is charged. */
  readonly freeReads: string;
}

const SHEETS = {
  aws: {
    bytesPerGb: 2n ** 30n,
    storagePerGbMonth: '0.023',
    putPerMillion: '5',
    getPerMillion: '0.4',
    egressPerGb: '0.09',
    freeReads: '0',
  },
  'aws eu-central-1': {
    bytesPerGb: 2n ** 30n,
    storagePerGbMonth: '0.0245',
    putPerMillion: '5.4',
    getPerMillion: '0.43',
    egressPerGb: '0.09',
    freeReads: '0',
  },
  r2: {
    bytesPerGb: 10n ** 9n,
    storagePerGbMonth: '0.015',
    putPerMillion: '4.5',
    getPerMillion: '0.36',
    egressPerGb: '0',
    freeReads: '0',
  },
  b2: {
    bytesPerGb: 10n ** 9n,
    storagePerGbMonth: '0.00695',
    putPerMillion: '0',
    getPerMillion: '0',
    egressPerGb: '0.01',
    freeReads: '3',
  },
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
  const sheet: Sheet = SHEETS[name];
  const of = (decimal: string | bigint | number) => Fraction.of(decimal);
  const gb = of(sizeBytes).dividedBy(of(sheet.bytesPerGb));
  const { monthsKept, readsPerMonth } = PROFILES[priority];
  const reads = of(readsPerMonth);
  const chargedReads = reads.minus(of(sheet.freeReads).min(reads));
  return Fraction.sum([
    gb.times(of(sheet.storagePerGbMonth)),
    of(sheet.putPerMillion).dividedBy(of(1_000_000)).dividedBy(of(monthsKept)),
    reads.times(of(sheet.getPerMillion)).dividedBy(of(1_000_000)),
    gb.times(chargedReads).times(of(sheet.egressPerGb)),
  ]);
}
