import type { Account, StoredProvider } from '../../domain/account/account.ts';
import { pauseOf } from '../../domain/provider/pause.ts';
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

/** A configured provider, and whether its store is left alone. */
export function presentListed(account: Account, provider: StoredProvider) {
  const paused = pauseOf(account, provider.location.provider);
  return {
    ...presentProvider(provider),
    paused: paused && { since: paused.since.toISOString(), code: paused.code },
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
