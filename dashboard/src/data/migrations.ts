import type { Migration, MigrationsOptions } from '@storage-routing/client';
import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { useApi } from './api.ts';
import { KEYS } from './keys.ts';
import { LARGEST_PAGE, pageOptions, type Selection } from './page.ts';
import { pollEvery } from './query-client.ts';

type Ending = Pick<Migration, 'completedAt'>;

export function isMigrationRunning({ completedAt }: Ending): boolean {
  return completedAt === null;
}

export function useMigrationQueries() {
  const call = useApi();
  const client = useQueryClient();
  const refetchInterval = pollEvery(client, ({ items }: { items: readonly Ending[] }) =>
    items.some(isMigrationRunning),
  );
  return {
    /** The page before stays while another one is loaded. */
    migrations: ({ page, ...filters }: Selection<MigrationsOptions>) =>
      queryOptions({
        queryKey: [...KEYS.migrations, filters, page],
        queryFn: ({ signal }) =>
          call((api) => api.migrations.list({ ...filters, ...pageOptions(page), signal })),
        placeholderData: keepPreviousData,
        refetchInterval,
      }),
    /** The newest: those that run are among them. */
    latestMigrations: queryOptions({
      queryKey: [...KEYS.migrations, 'latest'],
      queryFn: ({ signal }) => call((api) => api.migrations.list({ limit: LARGEST_PAGE, signal })),
      refetchInterval,
    }),
    migration: (migrationId: string) =>
      queryOptions({
        queryKey: [...KEYS.migration, migrationId],
        queryFn: ({ signal }) => call((api) => api.migrations.get(migrationId, { signal })),
        refetchInterval: pollEvery(client, isMigrationRunning),
      }),
  };
}
