import type {
  ListedMigration,
  Migration,
  MigrationsOptions,
  MigrationStatus,
  Recommendation,
  RecommendationsOptions,
} from '@storage-routing/client';
import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { MIGRATION_STATUSES } from '../format/migrations.ts';
import { useApi } from './api.ts';
import { offsetOf, PAGE_SIZE } from './page.ts';
import { pollEvery } from './query-client.ts';

/** The most that the lists give at once. */
const LARGEST_PAGE = 50;
/** A scan has at most 200 recommendations; of more, the largest savings are looked through. */
const SEARCHED_PAGES = 4;

export const MOVES_KEYS = {
  recommendations: ['recommendations'],
  scanResult: ['scan-result'],
  migrations: ['migrations'],
  migration: ['migration'],
} as const;

/** One recommendation, and what its scan says of all of them. */
export interface FoundRecommendation {
  readonly scanId: string;
  readonly connectionId: string;
  readonly recommendation: Recommendation;
  /** Of the decision; 12 where the operator has switched its report off. */
  readonly horizonMonths: number;
  readonly assumptions: readonly string[];
}

const DEFAULT_HORIZON_MONTHS = 12;

/** Of a list: its filters, and the page, from 1. */
type Selection<T> = Omit<T, 'limit' | 'offset' | 'signal' | 'requestId'> & {
  readonly page: number;
};

/** The queries of recommendations and migrations. */
export function useMovesQueries() {
  const call = useApi();
  const client = useQueryClient();
  return {
    recommendations: ({ page, ...filters }: Selection<RecommendationsOptions>) =>
      queryOptions({
        queryKey: [...MOVES_KEYS.recommendations, filters, page],
        queryFn: ({ signal }) =>
          call((api) =>
            api.scanner.recommendations({
              ...filters,
              limit: PAGE_SIZE,
              offset: offsetOf(page),
              signal,
            }),
          ),
        placeholderData: keepPreviousData,
      }),
    connections: queryOptions({
      queryKey: ['connections'],
      queryFn: ({ signal }) => call((api) => api.scanner.connections({ signal })),
    }),
    /** Looks through the lists for the scan of a recommendation; null where none has it. */
    scanOf: (recommendationId: string) =>
      queryOptions({
        queryKey: ['scan-of', recommendationId],
        queryFn: ({ signal }) =>
          call(async (api) => {
            for (let page = 0; page < SEARCHED_PAGES; page += 1) {
              const offset = page * LARGEST_PAGE;
              const { items, total } = await api.scanner.recommendations({
                limit: LARGEST_PAGE,
                offset,
                signal,
              });
              const found = items.find((item) => item.recommendationId === recommendationId);
              if (found) return found.scanId;
              if (offset + items.length >= total) return null;
            }
            return null;
          }),
        refetchInterval: false,
      }),
    /** Null where the scan has no such recommendation. Its state changes only where it is approved. */
    recommendation: (scanId: string, recommendationId: string) =>
      queryOptions({
        queryKey: [...MOVES_KEYS.scanResult, scanId],
        queryFn: ({ signal }) => call((api) => api.scanner.results(scanId, { signal })),
        refetchInterval: false,
        select: ({ connectionId, recommendations, decisionReport }): FoundRecommendation | null => {
          const recommendation = recommendations.find(
            (each) => each.recommendationId === recommendationId,
          );
          return recommendation
            ? {
                scanId,
                connectionId,
                recommendation,
                horizonMonths: decisionReport?.horizonMonths ?? DEFAULT_HORIZON_MONTHS,
                assumptions: decisionReport?.assumptions ?? [],
              }
            : null;
        },
      }),
    migrations: ({ page, ...filters }: Selection<MigrationsOptions>) =>
      queryOptions({
        queryKey: [...MOVES_KEYS.migrations, filters, page],
        queryFn: ({ signal }) =>
          call((api) =>
            api.migrations.list({ ...filters, limit: PAGE_SIZE, offset: offsetOf(page), signal }),
          ),
        placeholderData: keepPreviousData,
        refetchInterval: pollEvery(client, ({ items }: { items: ListedMigration[] }) =>
          items.some(({ status }) => isRunning(status)),
        ),
      }),
    migration: (migrationId: string) =>
      queryOptions({
        queryKey: [...MOVES_KEYS.migration, migrationId],
        queryFn: ({ signal }) => call((api) => api.migrations.get(migrationId, { signal })),
        refetchInterval: pollEvery(client, ({ status }: Migration) => isRunning(status)),
      }),
  };
}

function isRunning(status: MigrationStatus): boolean {
  return !MIGRATION_STATUSES[status].hasEnded;
}
