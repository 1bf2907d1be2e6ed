/** The UTC calendar month of a moment, as `2026-11`. Quotas and the ledger are kept by it. */
export type Month = string & { readonly __unit: 'Month' };

export function monthOf(at: Date): Month {
  return at.toISOString().slice(0, 7) as Month;
}

export function addSeconds(at: Date, seconds: number): Date {
  return new Date(at.getTime() + seconds * 1000);
}
