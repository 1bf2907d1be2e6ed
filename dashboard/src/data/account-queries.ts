import type { ListedMigration, MigrationStatus } from '@storage-routing/client';
import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { loadConfig } from '../session/config.ts';
import { useApi } from './api.ts';
import { offsetOf, PAGE_SIZE } from './page.ts';
import { pollEvery } from './query-client.ts';

export const ACCOUNT_KEYS = {
  account: ['account'],
  apiKey: ['api-key'],
  config: ['config'],
  history: ['analytics', 'history'],
} as const;

/** The most that a list gives at once. */
const LARGEST_PAGE = 50;
const ENDED: ReadonlySet<MigrationStatus> = new Set<MigrationStatus>([
  'completed',
  'completed_with_failures',
  'failed',
  'cancelled',
]);

/** The account, its key and its files. */
export function useAccountQueries() {
  const call = useApi();
  const client = useQueryClient();
  return {
    account: queryOptions({
      queryKey: ACCOUNT_KEYS.account,
      queryFn: ({ signal }) => call((api) => api.account({ signal })),
    }),
    apiKey: queryOptions({
      queryKey: ACCOUNT_KEYS.apiKey,
      queryFn: ({ signal }) => call((api) => api.apiKey.get({ signal })),
    }),
    /** Of the page; it changes with the service only. */
    config: queryOptions({
      queryKey: ACCOUNT_KEYS.config,
      queryFn: loadConfig,
      staleTime: Infinity,
      refetchInterval: false,
    }),
    /** Only where the configuration says that plans can be bought. */
    subscription: queryOptions({
      queryKey: ['subscription'],
      queryFn: ({ signal }) => call((api) => api.billing.subscription({ signal })),
    }),
    /** The page before stays while another one is loaded. */
    history: (page: number) =>
      queryOptions({
        queryKey: [...ACCOUNT_KEYS.history, page],
        queryFn: ({ signal }) =>
          call((api) =>
            api.analytics.routingHistory({ limit: PAGE_SIZE, offset: offsetOf(page), signal }),
          ),
        placeholderData: keepPreviousData,
      }),
    routedFile: (fileId: string) =>
      queryOptions({
        queryKey: [...ACCOUNT_KEYS.history, fileId],
        queryFn: ({ signal }) => call((api) => api.analytics.routedFile(fileId, { signal })),
      }),
    /** Their number, and the one that saves most. */
    openRecommendations: queryOptions({
      queryKey: ['recommendations', 'open'],
      queryFn: ({ signal }) =>
        call((api) => api.scanner.recommendations({ status: 'open', limit: 1, signal })),
    }),
    /** The newest: those that run are among them. */
    latestMigrations: queryOptions({
      queryKey: ['migrations', 'latest'],
      queryFn: ({ signal }) => call((api) => api.migrations.list({ limit: LARGEST_PAGE, signal })),
      refetchInterval: pollEvery(client, ({ items }: { items: ListedMigration[] }) =>
        items.some(isRunning),
      ),
    }),
  };
}

export function isRunning({ status }: ListedMigration): boolean {
  return !ENDED.has(status);
}
