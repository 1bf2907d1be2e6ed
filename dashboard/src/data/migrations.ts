import {
  StorageRoutingError,
  type Migration,
  type MigrationsOptions,
  type Release,
} from '@storage-routing/client';
import { useQueryClient } from '@tanstack/react-query';
import { KEYS } from './keys.ts';
import { collect, LARGEST_PAGE } from './page.ts';
import { pollEvery } from './query-client.ts';
import { KEEP_PREVIOUS, useQueryOf } from './query.ts';

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
  const query = useQueryOf();
  const client = useQueryClient();
  return {
    migrations: (filters: Pick<MigrationsOptions, 'status'>) => ({
      ...query([...KEYS.migrations, filters], (api, options) =>
        collect(api.migrations.list({ ...filters, limit: LARGEST_PAGE, ...options })),
      ),
      ...KEEP_PREVIOUS,
      refetchInterval: pollEvery(client, (items: readonly Ending[]) =>
        items.some(isMigrationRunning),
      ),
    }),
    /** The newest: those that run are among them. */
    latestMigrations: {
      ...query([...KEYS.migrations, 'latest'], (api, options) =>
        api.migrations.list({ limit: LARGEST_PAGE, ...options }),
      ),
      refetchInterval: pollEvery(client, ({ items }: { items: readonly Ending[] }) =>
        items.some(isMigrationRunning),
      ),
    },
    migration: (migrationId: string) => ({
      ...query([...KEYS.migration, migrationId], (api, options) =>
        api.migrations.get(migrationId, options),
      ),
      refetchInterval: pollEvery(client, isMigrationRunning),
    }),
    /** Null before the first check of the source. */
    release: (migration: Migration) => ({
      ...query([...KEYS.release, migration.migrationId], (api, options) =>
        api.migrations.release(migration.migrationId, options).catch(noRelease),
      ),
      enabled: !isMigrationRunning(migration),
      refetchInterval: pollEvery(
        client,
        (release: Release | null) => release?.status === 'checking',
      ),
    }),
  };
}
