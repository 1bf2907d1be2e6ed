import type { Drill, DrillRequest, DrillsPage } from '@storage-routing/client';
import { useQueryClient } from '@tanstack/react-query';
import { KEYS } from './keys.ts';
import { pageOptions } from './page.ts';
import { pollEvery } from './query-client.ts';
import { CONSTANT, KEEP_PREVIOUS, useQueryOf } from './query.ts';

export function isDrillRunning({ completedAt }: Pick<Drill, 'completedAt'>): boolean {
  return completedAt === null;
}

export function useDrillQueries() {
  const query = useQueryOf();
  const client = useQueryClient();
  return {
    drills: (page: number) => ({
      ...query([...KEYS.drills, page], (api, options) =>
        api.drills.list({ ...pageOptions(page), ...options }),
      ),
      ...KEEP_PREVIOUS,
      refetchInterval: pollEvery(client, ({ items }: Pick<DrillsPage, 'items'>) =>
        items.some(isDrillRunning),
      ),
    }),
    drill: (drillId: string) => ({
      ...query([...KEYS.drill, drillId], (api, options) => api.drills.get(drillId, options)),
      refetchInterval: pollEvery(client, isDrillRunning),
    }),
    /** Null: drills start only when asked. */
    schedule: query([...KEYS.drills, 'schedule'], (api, options) => api.drills.schedule(options)),
    /** It reads every file of the place, so it is made anew only where a start is refused. */
    estimate: (request: DrillRequest) => ({
      ...query([...KEYS.drills, request], (api, options) => api.drills.estimate(request, options)),
      ...CONSTANT,
      gcTime: 0,
    }),
  };
}
