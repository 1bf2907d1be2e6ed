import { formatUsd } from '../../../domain/common/format.ts';

/**
 * Amounts in whole units, so that the shown amounts add up: a sum is the sum of the rounded amounts. A unit
 * is a cent, or a millionth of a dollar if the whole account costs less than a cent a month.
 */
export interface Units {
  /** Rounds an amount in USD. */
  fromUsd(usd: number): number;
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
    fromUsd: (usd) => Math.sign(usd) * Math.round(Math.abs(usd) * perUsd) || 0,
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
