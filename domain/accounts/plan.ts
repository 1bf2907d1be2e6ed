import { BYTES_PER_DECIMAL_GB } from '../../shared/units.ts';
export const PLAN_NAMES = ['free', 'starter', 'growth', 'enterprise'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

/** The limits of a plan; `null` is no limit. */
export interface PlanLimits {
  readonly gbRoutedPerMonth: number | null;
  readonly uploadsPerMonth: number | null;
  readonly providers: number | null;
  readonly scansPerMonth: number | null;
  readonly migrations: boolean;
}

export type Plans = Readonly<Record<PlanName, PlanLimits>>;

/** The bookings of an account in one calendar month. */
export interface Booked {
  readonly bytes: number;
  readonly uploads: number;
}

/** The quota of a plan in bytes and uploads; `null` is no limit. */
export function uploadQuota(limits: PlanLimits): { bytes: number | null; uploads: number | null } {
  return {
    bytes: limits.gbRoutedPerMonth === null ? null : limits.gbRoutedPerMonth * BYTES_PER_DECIMAL_GB,
    uploads: limits.uploadsPerMonth,
  };
}

/**
 * Reads the table of plans from data, so that a limit changes without a code change.
 *
 * @throws Error that names the plan and the field that is wrong.
 */
export function parsePlans(data: unknown): Plans {
  const table = data as Record<string, Record<string, unknown>>;
  return Object.fromEntries(
    PLAN_NAMES.map((name) => [name, parseLimits(name, table[name])]),
  ) as Plans;
}

function parseLimits(name: PlanName, row: Record<string, unknown> | undefined): PlanLimits {
  const limit = (field: string): number | null => {
    const value = row?.[field];
    if (value === null || (typeof value === 'number' && value >= 0)) return value;
    throw new Error(`plan ${name}: ${field} must be a number of at least 0, or null for no limit`);
  };
  if (typeof row?.['migrations'] !== 'boolean')
    throw new Error(`plan ${name}: migrations must be true or false`);
  return {
    gbRoutedPerMonth: limit('gbRoutedPerMonth'),
    uploadsPerMonth: limit('uploadsPerMonth'),
    providers: limit('providers'),
    scansPerMonth: limit('scansPerMonth'),
    migrations: row['migrations'],
  };
}
