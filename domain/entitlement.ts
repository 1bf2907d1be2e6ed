import { AppError } from './errors.ts';
import { uploadQuota, type Booked, type PlanLimits, type PlanName } from './plan.ts';

/** What an endpoint asks of a plan, with what the account has of it already. */
export type EntitlementRequest =
  | { readonly what: 'upload'; readonly sizeBytes: number; readonly booked: Booked }
  | { readonly what: 'provider'; readonly configured: number }
  | { readonly what: 'scan'; readonly scansThisMonth: number }
  | { readonly what: 'migration' };

/**
 * Whether a plan allows one more.
 *
 * | asked for  | allowed while                                                                   |
 * |------------|---------------------------------------------------------------------------------|
 * | `upload`   | booked bytes + its size ≤ `gbRoutedPerMonth`, booked uploads < `uploadsPerMonth` |
 * | `provider` | configured ones < `providers`; replacing one is not asked about                 |
 * | `scan`     | scans of the month < `scansPerMonth`                                            |
 * | `migration`| `migrations`                                                                    |
 *
 * Only what is new is asked about, so a smaller plan takes nothing away from what is there.
 */
export function allows(limits: PlanLimits, ask: EntitlementRequest): boolean {
  switch (ask.what) {
    case 'upload': {
      const { bytes, uploads } = uploadQuota(limits);
      return (
        isWithin(ask.booked.bytes + ask.sizeBytes, bytes) &&
        isWithin(ask.booked.uploads + 1, uploads)
      );
    }
    case 'provider':
      return isWithin(ask.configured + 1, limits.providers);
    case 'scan':
      return isWithin(ask.scansThisMonth + 1, limits.scansPerMonth);
    case 'migration':
      return limits.migrations;
  }
}

/** @throws AppError `plan_limit` where the plan does not allow it. */
export function entitle(plan: PlanName, limits: PlanLimits, ask: EntitlementRequest): void {
  if (!allows(limits, ask)) throw planLimit(plan, limits, ask.what);
}

/** The refusal in words; for a counter whose conditional write has said no, too. */
export function planLimit(
  plan: PlanName,
  limits: PlanLimits,
  what: EntitlementRequest['what'],
): AppError {
  const words: Readonly<Record<EntitlementRequest['what'], string>> = {
    upload: `The monthly quota of the ${plan} plan is used up.`,
    provider: `The ${plan} plan allows ${limits.providers} providers.`,
    scan: `The ${plan} plan allows ${limits.scansPerMonth} scans a month.`,
    migration: `The ${plan} plan has no migrations.`,
  };
  return new AppError('plan_limit', words[what]);
}

function isWithin(count: number, limit: number | null): boolean {
  return limit === null || count <= limit;
}
