import { AppError } from '../common/errors.ts';
import { uploadQuota, type Booked, type PlanLimits, type PlanName } from './plan.ts';

/** A request that a plan must allow, with the account's current usage. */
export type EntitlementRequest =
  | { readonly what: 'upload'; readonly sizeBytes: number; readonly booked: Booked }
  | { readonly what: 'provider'; readonly configured: number }
  | { readonly what: 'scan'; readonly scansThisMonth: number }
  | { readonly what: 'migration' };

/**
 * Whether a plan allows one more.
 *
 * | requested  | allowed while                                                                   |
 * |------------|---------------------------------------------------------------------------------|
 * | `upload`   | booked bytes + its size ≤ `gbRoutedPerMonth`, booked uploads < `uploadsPerMonth` |
 * | `provider` | configured ones < `providers`; replacing one needs no entitlement               |
 * | `scan`     | scans of the month < `scansPerMonth`                                            |
 * | `migration`| `migrations`                                                                    |
 *
 * Only additions are checked, so a smaller plan removes nothing that exists.
 */
export function allows(limits: PlanLimits, request: EntitlementRequest): boolean {
  switch (request.what) {
    case 'upload': {
      const { bytes, uploads } = uploadQuota(limits);
      return (
        isWithin(request.booked.bytes + request.sizeBytes, bytes) &&
        isWithin(request.booked.uploads + 1, uploads)
      );
    }
    case 'provider':
      return isWithin(request.configured + 1, limits.providers);
    case 'scan':
      return isWithin(request.scansThisMonth + 1, limits.scansPerMonth);
    case 'migration':
      return limits.migrations;
  }
}

/** @throws AppError `plan_limit` if the plan does not allow it. */
export function entitle(plan: PlanName, limits: PlanLimits, request: EntitlementRequest): void {
  if (!allows(limits, request)) throw planLimit(plan, limits, request.what);
}

/** The refusal; also for a conditional write that refused the booking. */
export function planLimit(
  plan: PlanName,
  limits: PlanLimits,
  what: EntitlementRequest['what'],
): AppError {
  const messages: Readonly<Record<EntitlementRequest['what'], string>> = {
    upload: `What is left of the monthly quota of the ${plan} plan does not hold this file.`,
    provider: `The ${plan} plan allows ${limits.providers} providers.`,
    scan: `The ${plan} plan allows ${limits.scansPerMonth} scans a month.`,
    migration: `The ${plan} plan has no migrations.`,
  };
  return new AppError('plan_limit', messages[what]);
}

function isWithin(count: number, limit: number | null): boolean {
  return limit === null || count <= limit;
}
