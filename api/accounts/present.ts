import type { Account } from '../../domain/accounts/account.ts';
import type { Activity } from '../../domain/accounts/activity.ts';
import type { Catalogue } from '../../domain/providers/catalogue.ts';
import { uploadQuota } from '../../domain/accounts/plan.ts';
import { BYTES_PER_DECIMAL_GB } from '../../shared/units.ts';
import type { MonthlyUsage } from '../../operations/accounts/accounts.ts';
import { toView, type View } from '../http/route.ts';
import { ActivityView, type ApiKeyView, type MeView } from './schemas.ts';

export function presentMe(
  catalogue: Catalogue,
  { account, keyMode, limits, month, routed, booked }: MonthlyUsage,
): View<typeof MeView> {
  return {
    accountId: account.accountId,
    plan: account.plan,
    keyMode,
    providers: catalogue.providers.filter((name) => account.providers[name]),
    usage: {
      period: month,
      gbRouted: routed.bytes / BYTES_PER_DECIMAL_GB,
      uploads: routed.uploads,
      gbBooked: booked.bytes / BYTES_PER_DECIMAL_GB,
      uploadsBooked: booked.uploads,
      gbQuota: limits.gbRoutedPerMonth,
      uploadQuota: uploadQuota(limits).uploads,
    },
  };
}

export function presentApiKey(apiKey: Account['apiKey']): View<typeof ApiKeyView> {
  if (!apiKey) return { apiKey: null };
  return {
    apiKey: {
      masked: apiKey.masked,
      createdAt: apiKey.createdAt.toISOString(),
      lastUsedAt: apiKey.lastUsedAt?.toISOString() ?? null,
    },
  };
}

export function presentActivity(activity: Activity): View<typeof ActivityView> {
  return toView(ActivityView, activity);
}
