import type { ScanResult } from '@storage-routing/client';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useApi } from './api.ts';
import { pollEvery } from './query-client.ts';



export const CONNECTIONS_KEY = ['connections'] as const;

export function isScanRunning({ status }: Pick<ScanResult, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

export function useAuditQueries() {
  const call = useApi();
  const client = useQueryClient();
  const poll = pollEvery(client, isScanRunning);
  return {
    connections: queryOptions({
      queryKey: CONNECTIONS_KEY,
      queryFn: ({ signal }) => call((api) => api.scanner.connections({ signal })),
    }),
    /** It stays the same; a failure is asked again with the reader's return. */
    serviceIdentity: queryOptions({
      queryKey: ['service-identity'],
      queryFn: ({ signal }) => call((api) => api.scanner.serviceIdentity({ signal })),
      staleTime: Infinity,
      refetchInterval: false,
    }),
    /** Fetched again while the scan runs; its end is for good. */
    scan: (scanId: string) =>
      queryOptions({
        queryKey: ['scan', scanId],
        queryFn: ({ signal }) => call((api) => api.scanner.results(scanId, { signal })),
        refetchInterval: (query: { readonly state: { readonly data: ScanResult | undefined } }) => {
          const { data } = query.state;
          return data && !isScanRunning(data) ? false : poll(query);
        },
      }),
  };
}
