/** Amounts as text for a person: the one place that formats money, sizes, counts and months. */

const CENTS_FROM_USD = 0.01;

/** USD without the unit: cents from one cent on, micro-dollars below. */
export function formatUsd(usd: number): string {
  const isBelowCents = usd !== 0 && Math.abs(usd) < CENTS_FROM_USD;
  return groupThousands(usd.toFixed(isBelowCents ? 6 : 2));
}

export function formatNumber(count: number): string {
  return groupThousands(String(count));
}

/** A count with its noun, which takes an `s` in the plural. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

export function formatMonths(months: number): string {
  return formatCount(months, 'month');
}

const BYTE_UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** A size in binary units with at most two decimals. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10);
  const step = Math.min(BYTE_UNITS.length - 1, power);
  const amount = Number((bytes / 1024 ** step).toFixed(2));
  return `${groupThousands(String(amount))} ${BYTE_UNITS[step] ?? ''}`;
}

function groupThousands(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
