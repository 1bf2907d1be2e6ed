/** Numbers in the reader's locale. Gigabytes are 10^9 bytes, as everywhere in the API. */

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;
const STEP = 1000;
const BYTES_PER_GB = 1e9;
const CENT = 0.01;

/** `1,234,567` */
export function formatCount(count: number): string {
  return new Intl.NumberFormat().format(count);
}

/** `1 upload`, `2 uploads` */
export function formatCounted(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}

/** Three significant digits: `1.84 GB`; whole bytes. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // 999.5 KB would be rounded to 1,000 KB.
  while (Math.abs(value) >= STEP - (unit === 0 ? 0 : 0.5) && unit < UNITS.length - 1) {
    value /= STEP;
    unit += 1;
  }
  const digits = { maximumSignificantDigits: value >= STEP ? 6 : 3 };
  return `${new Intl.NumberFormat(undefined, digits).format(value)} ${UNITS[unit]}`;
}

export function formatGb(gb: number): string {
  return formatBytes(Math.round(gb * BYTES_PER_GB));
}

/** Cents from one cent on, otherwise up to six digits: an upload saves less than a cent. */
export function formatUsd(usd: number): string {
  const isSmall = usd !== 0 && Math.abs(usd) < CENT;
  return new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 2,
    maximumFractionDigits: isSmall ? 6 : 2,
  }).format(usd);
}

/** @param share 0.25 for 25 % */
export function formatPercent(share: number): string {
  return new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 }).format(
    share,
  );
}

/** `850 ms`, `2.4 s` */
export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds < STEP) return `${formatCount(Math.round(milliseconds))} ms`;
  const seconds = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
  return `${seconds.format(milliseconds / STEP)} s`;
}
