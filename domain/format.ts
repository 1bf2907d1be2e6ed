/** Amounts as text for a person. The one place that decides how money, sizes and counts read. */

const MICRO_USD_BELOW = 0.01;

/** USD without the unit: cents, and micro-dollars where cents would show nothing. */
export function formatUsd(usd: number): string {
  const size = Math.abs(usd);
  return usd.toFixed(size === 0 || size >= MICRO_USD_BELOW ? 2 : 6);
}

/** A whole number with its thousands set apart, and its noun in the right number. */
export function formatCount(count: number, noun: string): string {
  const grouped = String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
  return `${grouped} ${noun}${count === 1 ? '' : 's'}`;
}

const BYTE_UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** A size in binary units with at most two decimals. */
export function formatBytes(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  while (amount >= 1024 && unit < BYTE_UNITS.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  return `${Number(amount.toFixed(2))} ${BYTE_UNITS[unit] ?? ''}`;
}

export function formatMonths(months: number): string {
  return `${months} month${months === 1 ? '' : 's'}`;
}
