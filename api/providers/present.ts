import type { StoredProvider } from '../../domain/account/account.ts';
import type { PriceBook } from '../../domain/pricing/price-book.ts';
import { CATALOGUE, PROVIDER_NAMES } from '../../domain/provider/catalogue.ts';

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
