/**
 * How the service's figures are written for people: one rule for the page, the report and the command line, so that
 * all of them show the same figures. Amounts are US dollars as the API answers them.
 */

const MICROS_PER_USD = 1e6;
const MICROS_PER_CENT = 10_000;

/**
 * Dollars and cents, rounded half away from zero: `$1,234.50`. An amount below a cent is `<$0.01`, a negative one
 * `-<$0.01`; only zero is `$0.00`.
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
 * The cents of rows that add up to a total shown beside them. Each row is cut to whole cents; the cents that are
 * missing go to the rows with the largest remainders, of equal remainders to the larger amount. No row is off by a
 * cent or more.
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

/** `paid back at once`, `paid back within a month`, `paid back after 5.8 months`, `not paid back within 5 years` */
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

/** What a bill says of its whole. */
export interface BilledTerms {
  readonly estimated: boolean;
  readonly listUsd: number;
  readonly netUsd: number;
  readonly unexplainedUsd: number;
}

/**
 * What was paid, and how much of it an audit explains: `Your S3 bill of October 2026 was $1,802.30; this audit explains
 * $1,790.12 of it.`
 */
export function describeBill(bill: BilledTerms, month: string): string {
  const { estimated, listUsd, netUsd, unexplainedUsd } = bill;
  const explained =
    listUsd > 0
      ? `; this audit explains ${formatMoney(netUsd * (1 - unexplainedUsd / listUsd))} of it`
      : '';
  return `Your S3 bill of ${month} was ${formatMoney(netUsd)}${estimated ? ' (AWS may still change it)' : ''}${explained}.`;
}

/** What a headline is made of. */
export interface HeadlineTerms {
  readonly currentMonthlyUsd: number;
  readonly monthlySavingsUsd: number;
  readonly recommendations: readonly {
    readonly kind: string;
    readonly monthlySavingsUsd: number;
    readonly recommendedProvider: string | null;
  }[];
  /** Of the report, where there is one. */
  readonly verdict?: string | undefined;
  readonly providerTitle: (provider: string) => string;
}

/**
 * The verdict of an audit as a person would say it: how much can be saved, and mostly by what.
 *
 * `Save 57 %: mostly by changing storage classes`, `Save 31 % by moving to Backblaze B2`, `Stay: …`
 */
export function auditHeadline(terms: HeadlineTerms): string {
  const { currentMonthlyUsd, monthlySavingsUsd, recommendations } = terms;
  if (terms.verdict === 'nothing_read') return 'Nothing could be read';
  if (recommendations.length === 0) return 'Stay: nothing here is worth changing';
  const savings = new Map<string, number>();
  for (const one of recommendations) {
    const way = describeWay(one, terms.providerTitle);
    savings.set(way, (savings.get(way) ?? 0) + one.monthlySavingsUsd);
  }
  const [[largest] = ['']] = [...savings].toSorted(([, a], [, b]) => b - a);
  const share = describeSavings(currentMonthlyUsd, monthlySavingsUsd);
  return savings.size === 1 ? `${share} by ${largest}` : `${share}: mostly by ${largest}`;
}

/** How much of what is paid a month can be saved: `Save 57 %`. */
export function describeSavings(currentMonthlyUsd: number, monthlySavingsUsd: number): string {
  const share = currentMonthlyUsd > 0 ? Math.min(1, monthlySavingsUsd / currentMonthlyUsd) : 0;
  return `Save ${formatPercent(share)}`;
}

function describeWay(
  { kind, recommendedProvider }: HeadlineTerms['recommendations'][number],
  providerTitle: HeadlineTerms['providerTitle'],
): string {
  if (kind === 'move')
    return recommendedProvider === null
      ? 'moving it'
      : `moving to ${providerTitle(recommendedProvider)}`;
  if (kind === 'change_class') return 'changing storage classes';
  return 'deleting what nobody uses';
}

/** How sure an answer is: `High` from 0.9 on, `Good` from 0.7, `Fair` from 0.5, otherwise `Low`. */
export function confidenceLevel(confidence: number): 'High' | 'Good' | 'Fair' | 'Low' {
  if (confidence >= 0.9) return 'High';
  if (confidence >= 0.7) return 'Good';
  return confidence >= 0.5 ? 'Fair' : 'Low';
}

const READ_SOURCES = {
  measured: 'measured by CloudWatch',
  apportioned: 'its share of the bill',
  assumed: 'assumed by age',
} as const;

/** Whether a bill or metrics tell of the reads of any bucket. */
export function knowsReads(
  buckets: readonly { readonly reads?: { readonly source: string } | null }[],
): boolean {
  return buckets.some(({ reads }) => reads && reads.source !== 'assumed');
}

/** Where the reads of a bucket are known from: `measured by CloudWatch`. */
export function describeReadSource(source: keyof typeof READ_SOURCES): string {
  return READ_SOURCES[source];
}
