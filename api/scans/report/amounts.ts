import { formatUsd } from '../../../domain/common/format.ts';

/**
 * Amounts in whole units of what is shown, so that what stands in rows adds up in front of the
 * reader: a sum is that of the rounded amounts. A unit is a cent; where the whole account costs less
 * than a cent a month, it is a millionth of a dollar.
 */
export interface Units {
  /** Rounds an amount in USD. */
  of(usd: number): number;
  /** `$1.20` */
  show(units: number): string;
  /** `+$1.20`, `−$1.20` */
  showChange(units: number): string;
  toUsd(units: number): number;
  /** How amounts are rounded and shown, as a sentence. */
  readonly rule: string;
}

const CENTS_PER_USD = 100;
const MICROS_PER_USD = 1_000_000;

export function unitsFor(currentMonthlyCostUsd: number): Units {
  const isBelowCents = currentMonthlyCostUsd * CENTS_PER_USD < 1;
  const perUsd = isBelowCents ? MICROS_PER_USD : CENTS_PER_USD;
  const show = (units: number) => formatUsd(units / perUsd).replace('-', '−');
  return {
    of: (usd) => Math.sign(usd) * Math.round(Math.abs(usd) * perUsd) || 0,
    show,
    showChange: (units) => `${units > 0 ? '+' : ''}${show(units)}`,
    toUsd: (units) => units / perUsd,
    rule: isBelowCents
      ? 'Amounts are added to the millionth of a dollar, and shown in cents from one cent on.'
      : 'Amounts are rounded to what is shown before they are added.',
  };
}

export function addAmounts(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
