import {
  StorageRoutingError,
  type Migration,
  type MigrationsOptions,
  type Release,
} from '@storage-routing/client';
import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { useApi } from './api.ts';
import { KEYS } from './keys.ts';
import { collect, LARGEST_PAGE } from './page.ts';
import { pollEvery } from './query-client.ts';

type Ending = Pick<Migration, 'completedAt'>;

export function isMigrationRunning({ completedAt }: Ending): boolean {
  return completedAt === null;
}

/** @throws every error but the one of a source that was never checked */
function noRelease(error: unknown): null {
  if (error instanceof StorageRoutingError && error.code === 'release_not_found') return null;
  throw error;
}

export function useMigrationQueries() {
  const call = useApi();
  const client = useQueryClient();
  return {
    /** Those before stay while others are loaded. */
    migrations: (filters: Pick<MigrationsOptions, 'status'>) =>
      queryOptions({
        queryKey: [...KEYS.migrations, filters],
        queryFn: ({ signal }) =>
          call((api) => collect(api.migrations.list({ ...filters, limit: LARGEST_PAGE, signal }))),
        placeholderData: keepPreviousData,
        refetchInterval: pollEvery(client, (items: readonly Ending[]) =>
          items.some(isMigrationRunning),
        ),
      }),
    /** The newest: those that run are among them. */
    latestMigrations: queryOptions({
      queryKey: [...KEYS.migrations, 'latest'],
      queryFn: ({ signal }) => call((api) => api.migrations.list({ limit: LARGEST_PAGE, signal })),
      refetchInterval: pollEvery(client, ({ items }: { items: readonly Ending[] }) =>
        items.some(isMigrationRunning),
      ),
    }),
    migration: (migrationId: string) =>
      queryOptions({
        queryKey: [...KEYS.migration, migrationId],
        queryFn: ({ signal }) => call((api) => api.migrations.get(migrationId, { signal })),
        refetchInterval: pollEvery(client, isMigrationRunning),
      }),
    /** Null before the first check of the source. */
    release: (migration: Migration) =>
      queryOptions({
        queryKey: [...KEYS.release, migration.migrationId],
        queryFn: ({ signal }) =>
          call((api) => api.migrations.release(migration.migrationId, { signal })).catch(noRelease),
        enabled: !isMigrationRunning(migration),
        refetchInterval: pollEvery(
          client,
          (release: Release | null) => release?.status === 'checking',
        ),
      }),
  };
}
