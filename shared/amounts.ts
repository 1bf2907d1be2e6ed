/**
 * Formats amounts, counts, sizes and paybacks for people, with one rule for the page, the report
 * and the command line. Amounts are US dollars as the API answers them.
 */

const MICROS_PER_USD = 1e6;
const MICROS_PER_CENT = 10_000;

/**
 * Dollars and cents, rounded half away from zero: `$1,234.50`. An amount below a cent is `<$0.01`,
 * a negative one `-<$0.01`; only zero is `$0.00`.
 */
export function formatMoney(usd: number): string {
  return formatRow(usd, toCents(usd));
}

/** An amount as whole cents, rounded half away from zero; 0 below a cent. */
export function toCents(usd: number): number {
  const micros = Math.abs(toMicros(usd));
  if (micros < MICROS_PER_CENT) return 0;
  return Math.sign(usd) * Math.floor(micros / MICROS_PER_CENT + 0.5);
}

/**
 * The cents of rows that add up to a total shown beside them. Each row is cut to whole cents; the
 * cents that are missing go to the rows with the largest remainders, of equal remainders to the
 * larger amount. No row is off by a cent or more.
 *
 * @param totalUsd the sum of the rows, which may differ by rounding to micro-dollars
 */
export function roundRows(rowsUsd: readonly number[], totalUsd: number): readonly number[] {
  const rows = rowsUsd.map((usd, index) => {
    const micros = toMicros(usd);
    const cents = Math.trunc(micros / MICROS_PER_CENT) || 0;
    return { index, size: Math.abs(micros), cents, remainder: micros - cents * MICROS_PER_CENT };
  });
  const missing = toCents(totalUsd) - rows.reduce((sum, { cents }) => sum + cents, 0);
  const step = Math.sign(missing);
  const raised = rows
    .filter(({ remainder }) => Math.sign(remainder) === step)
    .sort((a, b) => step * (b.remainder - a.remainder) || b.size - a.size || a.index - b.index)
    .slice(0, Math.abs(missing));
  const cents = rows.map((row) => row.cents);
  for (const { index } of raised) cents[index] = (cents[index] ?? 0) + step;
  return cents;
}

/** What is left of an amount, in cents that agree with both amounts as they are shown beside it. */
export function formatLess(fromUsd: number, lessUsd: number): string {
  return formatRow(fromUsd - lessUsd, toCents(fromUsd) - toCents(lessUsd));
}

/** A row of {@link roundRows}; one that counts as nothing without being zero is `<$0.01`. */
export function formatRow(usd: number, cents: number): string {
  if (cents === 0 && toMicros(usd) !== 0) return usd < 0 ? '-<$0.01' : '<$0.01';
  return formatCents(cents);
}

/** `$1,234.50`, `-$1.20` */
export function formatCents(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}$${groupThousands(digits.slice(0, -2))}.${digits.slice(-2)}`;
}

function toMicros(usd: number): number {
  return Math.round(usd * MICROS_PER_USD);
}

const LONGEST_PAYBACK_MONTHS = 60;

/**
 * When savings have paid for a cost.
 *
 * | months                          | text                  |
 * |---------------------------------|-----------------------|
 * | 0: there is nothing to pay      | `at once`             |
 * | up to 1                         | `within a month`      |
 * | below 10                        | `5.8 months`          |
 * | up to 60                        | `12 months`           |
 * | more, or null                   | `not within 5 years`  |
 *
 * @param months rounded up to one decimal; null if the savings never pay for it
 */
export function formatPayback(months: number | null): string {
  if (months === null || months > LONGEST_PAYBACK_MONTHS) return 'not within 5 years';
  if (months === 0) return 'at once';
  if (months <= 1) return 'within a month';
  return `${months < 10 ? Math.ceil(months * 10 - 1e-9) / 10 : Math.ceil(months)} months`;
}

/** `paid back at once`, `paid back after 5.8 months`, `not paid back within 5 years` */
export function describePayback(months: number | null): string {
  const text = formatPayback(months);
  if (text.startsWith('not ')) return text.replace('not ', 'not paid back ');
  return `paid back ${/^\d/.test(text) ? 'after ' : ''}${text}`;
}

/** `1,234,567` */
export function formatNumber(count: number): string {
  const [whole = '', fraction] = String(count).split('.');
  return fraction === undefined ? groupThousands(whole) : `${groupThousands(whole)}.${fraction}`;
}

/** A quantity of any unit: three digits of what is below 100, otherwise a whole number. */
export function formatQuantity(quantity: number): string {
  const isSmall = Math.abs(quantity) < 100;
  return formatNumber(isSmall ? Number(quantity.toPrecision(3)) : Math.round(quantity));
}

/** A count with its noun, which takes an `s` in the plural: `1 object`, `2 objects`. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `25 %`; a share that is not zero is never shown as zero. */
export function formatPercent(share: number): string {
  const percent = Math.round(share * 100);
  return percent === 0 && share > 0 ? '<1 %' : `${percent} %`;
}

const BYTE_UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;
const UNIT_STEP = 1000;

/** A size in decimal units, with three significant digits: `1.84 GB`; a GB is 10^9 bytes. */
export function formatBytes(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  while (toThreeDigits(amount) >= UNIT_STEP && unit < BYTE_UNITS.length - 1) {
    amount /= UNIT_STEP;
    unit += 1;
  }
  const shown = unit === 0 ? amount : toThreeDigits(amount);
  return `${formatNumber(shown)} ${bytes === 1 ? 'byte' : BYTE_UNITS[unit]}`;
}

function toThreeDigits(amount: number): number {
  return amount < UNIT_STEP ? Number(amount.toPrecision(3)) : Math.round(amount);
}

function groupThousands(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+$)/g, ',');
}
