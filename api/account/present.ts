import type { Account, StoredProvider } from '../../domain/account/account.ts';
import { CATALOGUE, PROVIDER_NAMES } from '../../domain/provider/catalogue.ts';
import { BYTES_PER_GB, uploadQuota } from '../../domain/account/plan.ts';
import type { PriceBook } from '../../domain/pricing/price-book.ts';
import type { AccountUsage } from './account.ts';

export function presentMe({ account, keyMode, limits, month, routed, booked }: AccountUsage) {
  return {
    accountId: account.accountId,
    plan: account.plan,
    keyMode,
    providers: PROVIDER_NAMES.filter((name) => account.providers[name]),
    usage: {
      period: month,
      gbRouted: routed.bytes / BYTES_PER_GB,
      uploads: routed.uploads,
      gbBooked: booked.bytes / BYTES_PER_GB,
      uploadsBooked: booked.uploads,
      gbQuota: limits.gbRoutedPerMonth,
      uploadQuota: uploadQuota(limits).uploads,
    },
  };
}

export function presentProvider({
  location,
  accessKeyIdMasked,
  createdAt,
  updatedAt,
}: StoredProvider) {
  return {
    provider: location.provider,
    bucketName: location.bucketName,
    region: location.region,
    ...(location.accountId === undefined ? {} : { accountId: location.accountId }),
    ...(location.jurisdiction === undefined ? {} : { jurisdiction: location.jurisdiction }),
    accessKeyIdMasked,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

export function presentCatalogue(book: PriceBook) {
  return PROVIDER_NAMES.map((provider) => {
    const entry = CATALOGUE[provider];
    return {
      provider,
      title: entry.title,
      kind: entry.kind,
      regionPattern: entry.regionPattern.source,
      regionExample: entry.regionExample,
      needsAccountId: entry.needsAccountId,
      jurisdictions: entry.jurisdictions,
      limits: {
        singlePutBytes: book.maxSinglePutBytes(provider),
        objectBytes: book.maxObjectBytes(provider),
      },
      documentation: entry.documentation,
    };
  });
}

export function presentApiKey(apiKey: Account['apiKey']) {
  if (!apiKey) return { apiKey: null };
  return {
    apiKey: {
      masked: apiKey.masked,
      createdAt: apiKey.createdAt.toISOString(),
      lastUsedAt: apiKey.lastUsedAt?.toISOString() ?? null,
    },
  };
}
