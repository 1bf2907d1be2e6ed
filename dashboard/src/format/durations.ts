/** Lengths of time in the reader's locale. */

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** The two largest units: `2 hr 5 min`, `45 sec`. */
export function formatSeconds(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds));
  const first = UNITS.findIndex(([, size]) => rest >= size);
  const parts = UNITS.slice(first === -1 ? UNITS.length - 1 : first).slice(0, 2);
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
