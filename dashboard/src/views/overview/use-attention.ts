import type { ProviderInfo } from '@storage-routing/client';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useQueries } from '../../data/queries.ts';

export interface Matter {
  readonly text: string;
  readonly href: string;
}

/**
 * What needs the reader, the most urgent first. Open recommendations, running migrations and a near plan limit
 * are further functions here, each over the query of its own list.
 */
export function useAttention(): UseQueryResult<readonly Matter[]> {
  return useQuery({ ...useQueries().providers, select: mattersOfProviders });
}

function mattersOfProviders({ items }: { items: ProviderInfo[] }): readonly Matter[] {
  if (items.length > 0) return [];
  return [{ text: 'No store is configured: uploads are refused. Add one', href: '/providers' }];
}
