import type { Provider, Recommendation } from '@storage-routing/client';
import { useQuery } from '@tanstack/react-query';
import { useProviderQueries } from '../../data/providers.ts';

/** Whether the account has credentials for a store now; while the stores load, as the scan found it. */
export function useIsConfigured({ options }: Recommendation): (provider: Provider) => boolean {
  const { data } = useQuery(useProviderQueries().providers);
  return (provider) =>
    data
      ? data.items.some((item) => item.provider === provider)
      : options.some((option) => option.provider === provider && option.configured);
}
