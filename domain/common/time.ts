export const DAY_MS = 86_400_000;

/** The UTC calendar month of a moment, as `2026-11`. Quotas and usage records are kept by it. */
export type Month = string & { readonly __unit: 'Month' };

export function toMonth(at: Date): Month {
  return at.toISOString().slice(0, 7) as Month;
}

export function addSeconds(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000);
}

/** Without its fraction of a second: a presigned URL names its begin in whole seconds. */
export function toWholeSecond(at: Date): Date {
  return new Date(Math.floor(at.getTime() / 1_000) * 1_000);
}

/** The month `months` later; earlier if it is negative. */
export function addMonths(month: Month, months: number): Month {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return toMonth(new Date(Date.UTC(year, number - 1 + months, 1)));
}

/** Every month from `first` to `last`, oldest first; none if `last` is earlier. */
export function monthsBetween(first: Month, last: Month): Month[] {
  const months: Month[] = [];
  for (let month = first; month <= last; month = addMonths(month, 1)) months.push(month);
  return months;
}
