import type { Account, StoredProvider } from '../../domain/accounts/account.ts';
import type { ListedProvider } from '../../operations/providers/providers.ts';
import { pauseOf } from '../../domain/providers/pause.ts';
import type { Catalogue } from '../../domain/providers/catalogue.ts';
import { toView, type View } from '../http/route.ts';
import {
  CatalogueEntry,
  FormerPlaceView,
  ProviderView,
  type ListedProviderView,
  type ProviderCatalogue,
} from './schemas.ts';

export function presentProvider(stored: StoredProvider): View<typeof ProviderView> {
  return toView(ProviderView, { ...stored, ...stored.location });
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
    formerPlaces: former.map(({ place, files, bytes }) =>
      toView(FormerPlaceView, { ...place, ...place.location, files, bytes }),
    ),
  };
}

export function presentCatalogue(catalogue: Catalogue): View<typeof ProviderCatalogue> {
  const items = catalogue.providers.map((provider) => {
    const entry = catalogue.entry(provider);
    const { singlePutBytes, objectBytes, parts } = entry.limits;
    const limits = { singlePutBytes, objectBytes, parts };
    return toView(CatalogueEntry, { ...entry, provider, limits });
  });
  return { items };
}
