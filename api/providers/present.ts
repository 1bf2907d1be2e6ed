import type { StoredProvider } from '../../domain/account/account.ts';
import type { Catalogue } from '../../domain/provider/catalogue.ts';

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

export function presentCatalogue(catalogue: Catalogue) {
  return catalogue.providers.map((provider) => {
    const entry = catalogue.entry(provider);
    const { singlePutBytes, objectBytes, parts } = entry.limits;
    return {
      provider,
      title: entry.title,
      kind: entry.kind,
      regionPattern: entry.regionPattern,
      regionExample: entry.regionExample,
      needsAccountId: entry.needsAccountId,
      jurisdictions: entry.jurisdictions,
      limits: { singlePutBytes, objectBytes, parts },
      documentation: entry.documentation,
    };
  });
}
