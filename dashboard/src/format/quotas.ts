import type { Me } from '@storage-routing/client';
import { formatCount, formatGb } from './numbers.ts';

export const PLAN_TITLES: Readonly<Record<Me['plan'], string>> = {
  free: 'Free',
  starter: 'Starter',
  growth: 'Growth',
  enterprise: 'Enterprise',
};

/** From this share on, a limit is near. */
const NEAR_SHARE = 0.8;

/** What is used of a limit of the plan in this month. */
export interface Quota {
  readonly title: string;
  readonly used: string;
  /** Undefined: unlimited. */
  readonly limit: string | undefined;
  /** 0.25 for 25 %; undefined where the limit is none. */
  readonly share: number | undefined;
  readonly isNear: boolean;
}

/** Counts what uploads under way have booked, because the service refuses by it. */
export function quotasOf({ usage }: Me): readonly Quota[] {
  const { gbBooked, gbQuota, uploadsBooked, uploadQuota } = usage;
  return [
    quotaOf('Data this month', gbBooked, gbQuota, formatGb),
    quotaOf('Uploads this month', uploadsBooked, uploadQuota, formatCount),
  ];
}

function quotaOf(
  title: string,
  used: number,
  limit: number | null,
  format: (amount: number) => string,
): Quota {
  if (limit === null)
    return { title, used: format(used), limit: undefined, share: undefined, isNear: false };
  const share = limit === 0 ? 1 : used / limit;
  return { title, used: format(used), limit: format(limit), share, isNear: share >= NEAR_SHARE };
}
