/**
 * Numbers, durations and times in the reader's locale and time zone. Gigabytes are 10^9 bytes, as everywhere in the API.
 */

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;
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
  while (Math.abs(value) >= STEP - (unit === 0 ? 0 : 0.5) && unit < BYTE_UNITS.length - 1) {
    value /= STEP;
    unit += 1;
  }
  const digits = { maximumSignificantDigits: value >= STEP ? 6 : 3 };
  return `${new Intl.NumberFormat(undefined, digits).format(value)} ${BYTE_UNITS[unit]}`;
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

const TIME_UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** The two largest units: `2 hr 5 min`, `45 sec`. */
export function formatSeconds(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds));
  const first = TIME_UNITS.findIndex(([, size]) => rest >= size);
  const parts = TIME_UNITS.slice(first === -1 ? TIME_UNITS.length - 1 : first).slice(0, 2);
  return parts
    .map(([unit, size]) => {
      const count = Math.floor(rest / size);
      rest -= count * size;
      return { unit, count };
    })
    .filter(({ count }, index) => count > 0 || index === 0)
    .map(({ unit, count }) =>
      new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'short' }).format(count),
    )
    .join(' ');
}

/** `1 month`, `4.2 months` */
export function formatMonths(months: number): string {
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: 'month',
    unitDisplay: 'long',
    maximumFractionDigits: 1,
  }).format(months);
}

/** @param iso RFC 3339 */
export function formatTime(iso: string): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(iso),
  );
}

/** The same moment in UTC, for a title. */
export function formatUtc(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** @param day a UTC day, `2027-01-12` */
export function formatDay(day: string): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(day),
  );
}

/** @param month a UTC month, `2026-11` */
export function formatMonth(month: string): string {
  return new Intl.DateTimeFormat(undefined, {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${month}-01T00:00:00Z`));
}

/** The same for an axis: `Nov`. */
export function formatShortMonth(month: string): string {
  return new Intl.DateTimeFormat(undefined, { month: 'short', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`),
  );
}
