import type { Account, StoredProvider } from '../../domain/accounts/account.ts';
import type { ListedProvider } from '../../operations/providers/providers.ts';
import { pauseOf } from '../../domain/providers/pause.ts';
import type { Catalogue } from '../../domain/providers/catalogue.ts';
import type { View } from '../http/route.ts';
import type { ListedProviderView, ProviderCatalogue, ProviderView } from './schemas.ts';

export function presentProvider(stored: StoredProvider): View<typeof ProviderView> {
  return {
    provider: stored.location.provider,
    ...presentPlace(stored),
    createdAt: stored.createdAt.toISOString(),
    updatedAt: stored.updatedAt.toISOString(),
  };
}

function presentPlace({
  location,
  accessKeyIdMasked,
}: Pick<StoredProvider, 'location' | 'accessKeyIdMasked'>) {
  return {
    bucketName: location.bucketName,
    region: location.region,
    ...(location.accountId === undefined ? {} : { accountId: location.accountId }),
    ...(location.jurisdiction === undefined ? {} : { jurisdiction: location.jurisdiction }),
    accessKeyIdMasked,
  };
}

/** A configured provider, whether its store is left alone, and its former places. */
export function presentListed(
  account: Account,
  { stored, former }: ListedProvider,
): View<typeof ListedProviderView> {
  const paused = pauseOf(account, stored.location.provider);
  return {
    ...presentProvider(stored),
    paused: paused && { since: paused.since.toISOString(), code: paused.code },
    formerPlaces: former.map(({ place, files, bytes }) => ({
      ...presentPlace(place),
      files,
      bytes,
      since: place.since.toISOString(),
    })),
  };
}

export function presentCatalogue(catalogue: Catalogue): View<typeof ProviderCatalogue> {
  const items = catalogue.providers.map((provider) => {
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
  return { items };
}
