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
  return shownUsd(exactCost(SHEETS[sheet], sizeBytes, PROFILES[priority]));
}

/** The difference between the first and the second cost in USD per month, as the API shows it. */
export function savedUsd(
  baseline: SheetName,
  chosen: SheetName,
  sizeBytes: number,
  priority: Priority,
): number {
  const [dear, cheap] = [baseline, chosen].map((sheet) =>
    exactCost(SHEETS[sheet], sizeBytes, PROFILES[priority]),
  ) as [Fraction, Fraction];
  return shownUsd(minus(dear, cheap));
}

function exactCost(
  sheet: Sheet,
  sizeBytes: number,
  profile: { monthsKept: string; readsPerMonth: string },
): Fraction {
  const gb: Fraction = [BigInt(sizeBytes), sheet.bytesPerGb];
  const reads = fraction(profile.readsPerMonth);
  const storage = times(gb, fraction(sheet.storagePerGbMonth));
  const put = over(over(fraction(sheet.putPerMillion), MILLION), fraction(profile.monthsKept));
  const gets = times(reads, over(fraction(sheet.getPerMillion), MILLION));
  const egress = times(
    times(gb, atLeastZero(minus(reads, fraction(sheet.freeReads)))),
    fraction(sheet.egressPerGb),
  );
  return plus(plus(storage, put), plus(gets, egress));
}

/** Numerator and denominator; the denominator is positive. */
type Fraction = readonly [bigint, bigint];

const MILLION: Fraction = [1_000_000n, 1n];

function fraction(decimal: string): Fraction {
  const [whole = '0', digits = ''] = decimal.split('.');
  return [BigInt(whole + digits), 10n ** BigInt(digits.length)];
}

const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d + c * b, b * d];
const minus = (a: Fraction, [c, d]: Fraction): Fraction => plus(a, [-c, d]);
const times = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d];
const over = (a: Fraction, [c, d]: Fraction): Fraction => times(a, [d, c]);
const atLeastZero = (a: Fraction): Fraction => (a[0] < 0n ? [0n, 1n] : a);

/** Rounded to millionths, half away from zero. */
function shownUsd([numerator, denominator]: Fraction): number {
  const size = numerator < 0n ? -numerator : numerator;
  const micro = (2n * size * 1_000_000n + denominator) / (2n * denominator);
  return Number(numerator < 0n ? -micro : micro) / 1e6;
}
