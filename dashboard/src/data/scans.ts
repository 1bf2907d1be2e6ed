import type { Connection, Provider, ScanLine, ScanResult } from '@storage-routing/client';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from './api.ts';
import { KEYS } from './keys.ts';
import { pollEvery } from './query-client.ts';

export function isScanRunning({ completedAt }: Pick<ScanResult, 'completedAt'>): boolean {
  return completedAt === null;
}

/** The completed scans of a connection, in the order given. */
export function completedScans(items: readonly ScanLine[], connectionId: string): ScanLine[] {
  return items.filter((item) => item.connectionId === connectionId && item.status === 'completed');
}

/** The connection of a scan or of a recommendation; undefined if it was removed. */
export function useConnection(connectionId: string): Connection | undefined {
  const { data } = useQuery(useScanQueries().connections);
  return data?.items.find((connection) => connection.connectionId === connectionId);
}

/** The store whose buckets a scan has read; undefined until it is known. */
export function useSource({ scanId }: Pick<ScanResult, 'scanId'>): Provider | undefined {
  return useQuery({ ...useScanQueries().scan(scanId), select: ({ provider }) => provider }).data;
}

/** The cloud accounts and their scans. */
export function useScanQueries() {
  const call = useApi();
  const client = useQueryClient();
  const poll = pollEvery(client, isScanRunning);
  return {
    connections: queryOptions({
      queryKey: KEYS.connections,
      queryFn: ({ signal }) => call((api) => api.scanner.connections({ signal })),
    }),
    scans: queryOptions({
      queryKey: KEYS.scans,
      queryFn: ({ signal }) => call((api) => api.scanner.history({ signal })),
      refetchInterval: pollEvery(client, ({ items }: { items: ScanLine[] }) =>
        items.some(isScanRunning),
      ),
    }),
    /** Constant; a failed query is repeated when the reader returns. */
    serviceIdentity: queryOptions({
      queryKey: KEYS.serviceIdentity,
      queryFn: ({ signal }) => call((api) => api.scanner.serviceIdentity({ signal })),
      staleTime: Infinity,
      refetchInterval: false,
    }),
    /** Fetched again while the scan runs; its end is for good. */
    scan: (scanId: string) =>
      queryOptions({
        queryKey: [...KEYS.scan, scanId],
        queryFn: ({ signal }) => call((api) => api.scanner.results(scanId, { signal })),
        refetchInterval: (query: { readonly state: { readonly data: ScanResult | undefined } }) => {
          const { data } = query.state;
          return data && !isScanRunning(data) ? false : poll(query);
        },
      }),
    changes: (scanId: string) =>
      queryOptions({
        queryKey: [...KEYS.scan, scanId, 'changes'],
        queryFn: ({ signal }) => call((api) => api.scanner.changes(scanId, { signal })),
        refetchInterval: false,
      }),
    /** As HTML; it changes when a recommendation of the scan is approved or expires. */
    report: (scanId: string) =>
      queryOptions({
        queryKey: [...KEYS.scan, scanId, 'report'],
        queryFn: ({ signal }) =>
          call((api) => api.scanner.report(scanId, { format: 'html', signal })),
        refetchInterval: false,
      }),
    /** The buckets of a scan that runs. */
    scanProgress: (scanId: string) =>
      queryOptions({
        queryKey: [...KEYS.scan, scanId, 'progress'],
        queryFn: ({ signal }) => call((api) => api.scanner.progress(scanId, { signal })),
        refetchInterval: pollEvery<unknown>(client, () => true),
      }),
  };
}
