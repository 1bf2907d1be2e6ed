/** Figures as a person reads them. */

export function usd(amount: number): string {
  const size = Math.abs(amount);
  const digits = size === 0 || size >= 0.01 ? 2 : 6;
  return amount.toFixed(digits);
}

export function count(amount: number, noun: string): string {
  const grouped = String(amount).replace(/\B(?=(?:\d{3})+$)/g, ',');
  return `${grouped} ${noun}${amount === 1 ? '' : 's'}`;
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

export function size(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  while (amount >= 1024 && unit < UNITS.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  return `${Number(amount.toFixed(2))} ${UNITS[unit] ?? ''}`;
}

export function months(amount: number): string {
  return `${amount} month${amount === 1 ? '' : 's'}`;
}
