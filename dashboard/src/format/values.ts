import { BYTES_PER_DECIMAL_GB, formatBytes, formatNumber } from '@storage-routing/client';

/**
 * Durations and times in the reader's locale and time zone. Money, sizes and counts: the client
 * library's figures.
 */

const STEP = 1000;

export function formatGb(gb: number): string {
  return formatBytes(Math.round(gb * BYTES_PER_DECIMAL_GB));
}

/** `850 ms`, `2.4 s` */
export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds < STEP) return `${formatNumber(Math.round(milliseconds))} ms`;
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

/** @param iso RFC 3339 */
export function formatTime(iso: string): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(iso),
  );
}

/** Its day: `24 Nov 2026`. */
export function formatDate(iso: string): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(new Date(iso));
}

/** The same for an axis: `24 Nov`. */
export function formatShortDate(iso: string): string {
  return new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' }).format(
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
