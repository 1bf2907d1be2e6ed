import { BYTES_PER_DECIMAL_GB, formatBytes, formatNumber } from '@storage-routing/client';

/**
 * Durations and times in the reader's locale and time zone. Money, sizes and counts: the client
 * library's figures.
 */

const STEP = 1000;
/** The service takes no higher limit. */
const MOST_USD = 1_000_000;

export function formatGb(gb: number): string {
  return formatBytes(Math.round(gb * BYTES_PER_DECIMAL_GB));
}

/** A limit that holds for this amount, in whole cents. */
export function ceilToCents(usd: number): number {
  return Math.ceil(usd * 100) / 100;
}

/** A limit as typed. Undefined: the service would refuse it. */
export function parseUsd(text: string): number | undefined {
  const usd = /^\d{1,7}(?:\.\d{1,6})?$/.test(text) ? Number(text) : Infinity;
  return usd <= MOST_USD ? usd : undefined;
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
  let remaining = Math.max(0, Math.round(seconds));
  const first = TIME_UNITS.findIndex(([, size]) => remaining >= size);
  const parts = TIME_UNITS.slice(first === -1 ? TIME_UNITS.length - 1 : first).slice(0, 2);
  return parts
    .map(([unit, size]) => {
      const count = Math.floor(remaining / size);
      remaining -= count * size;
      return { unit, count };
    })
    .filter(({ count }, index) => count > 0 || index === 0)
    .map(({ unit, count }) =>
      new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'short' }).format(count),
    )
    .join(' ');
}

/** @param text what `Date` parses: RFC 3339, a UTC day `2027-01-12`, a UTC month `2026-11` */
const dateFormat = (options: Intl.DateTimeFormatOptions) => (text: string) =>
  new Intl.DateTimeFormat(undefined, options).format(new Date(text));

export const formatTime = dateFormat({ dateStyle: 'medium', timeStyle: 'short' });
/** `24 Nov 2026` */
export const formatDate = dateFormat({ dateStyle: 'medium' });
/** `24 Nov`, for an axis. */
export const formatShortDate = dateFormat({ day: 'numeric', month: 'short' });
export const formatDay = dateFormat({ dateStyle: 'long', timeZone: 'UTC' });
/** `November 2026` */
export const formatMonth = dateFormat({ month: 'long', year: 'numeric', timeZone: 'UTC' });
/** `Nov`, for an axis. */
export const formatShortMonth = dateFormat({ month: 'short', timeZone: 'UTC' });

/** The same moment in UTC, for a title. */
export function formatUtc(iso: string): string {
  return `${new Date(iso).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
