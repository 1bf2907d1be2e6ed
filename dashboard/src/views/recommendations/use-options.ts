import type { PlacementOption, Provider, Recommendation } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useProviderQueries, useProviderTitle } from '../../data/providers.ts';

/** The title of an option: `Backblaze B2`, with the class unless it is the standard one. */
export function useOptionTitle(): (option: PlacementOption) => string {
  const providerTitle = useProviderTitle();
  return ({ provider, storageClass }) =>
    storageClass === 'STANDARD'
      ? providerTitle(provider)
      : `${providerTitle(provider)}, ${storageClass}`;
}

/**
 * Whether the account has credentials for a store now; while the stores load, as the scan found it.
 */
export function useIsConfigured({ options }: Recommendation): (provider: Provider) => boolean {
  const { data } = useQuery(useProviderQueries().providers);
  return (provider) =>
    data
      ? data.items.some((item) => item.provider === provider)
      : options.some((option) => option.provider === provider && option.configured);
}
