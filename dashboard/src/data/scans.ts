import type { Connection, Provider, ScanLine, ScanResult } from '@storage-routing/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { KEYS } from './keys.ts';
import { pollEvery } from './query-client.ts';
import { CONSTANT, useQueryOf } from './query.ts';

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
  const query = useQueryOf();
  const client = useQueryClient();
  const poll = pollEvery(client, isScanRunning);
  return {
    connections: query(KEYS.connections, (api, options) => api.scanner.connections(options)),
    scans: {
      ...query(KEYS.scans, (api, options) => api.scanner.history(options)),
      refetchInterval: pollEvery(client, ({ items }: { items: ScanLine[] }) =>
        items.some(isScanRunning),
      ),
    },
    /** A failed query is repeated when the reader returns. */
    serviceIdentity: {
      ...query(KEYS.serviceIdentity, (api, options) => api.scanner.serviceIdentity(options)),
      ...CONSTANT,
    },
    /** Fetched again while the scan runs; its end is for good. */
    scan: (scanId: string) => ({
      ...query([...KEYS.scan, scanId], (api, options) => api.scanner.results(scanId, options)),
      refetchInterval: (scan: { readonly state: { readonly data: ScanResult | undefined } }) => {
        const { data } = scan.state;
        return data && !isScanRunning(data) ? false : poll(scan);
      },
    }),
    changes: (scanId: string) => ({
      ...query([...KEYS.scan, scanId, 'changes'], (api, options) =>
        api.scanner.changes(scanId, options),
      ),
      refetchInterval: false as const,
    }),
    /** As HTML; it changes when a recommendation of the scan is approved or expires. */
    report: (scanId: string) => ({
      ...query([...KEYS.scan, scanId, 'report'], (api, options) =>
        api.scanner.report(scanId, { format: 'html', ...options }),
      ),
      refetchInterval: false as const,
    }),
    /** The buckets of a scan that runs. */
    scanProgress: (scanId: string) => ({
      ...query([...KEYS.scan, scanId, 'progress'], (api, options) =>
        api.scanner.progress(scanId, options),
      ),
      refetchInterval: pollEvery<unknown>(client, () => true),
    }),
  };
}
