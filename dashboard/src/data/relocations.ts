import type { Relocation, RelocationRequest, RelocationsPage } from '@storage-routing/client';
import { useQueryClient } from '@tanstack/react-query';
import { KEYS } from './keys.ts';
import { pageOptions } from './page.ts';
import { pollEvery } from './query-client.ts';
import { CONSTANT, KEEP_PREVIOUS, useQueryOf } from './query.ts';

/** Whether it copies. Afterwards old objects may still wait for their delete. */
export function isRelocationRunning({ status }: Pick<Relocation, 'status'>): boolean {
  return status === 'planning' || status === 'copying';
}

export function useRelocationQueries() {
  const query = useQueryOf();
  const client = useQueryClient();
  return {
    relocations: (page: number) => ({
      ...query([...KEYS.relocations, page], (api, options) =>
        api.relocations.list({ ...pageOptions(page), ...options }),
      ),
      ...KEEP_PREVIOUS,
      refetchInterval: pollEvery(client, ({ items }: Pick<RelocationsPage, 'items'>) =>
        items.some(isRelocationRunning),
      ),
    }),
    relocation: (relocationId: string) => ({
      ...query([...KEYS.relocation, relocationId], (api, options) =>
        api.relocations.get(relocationId, options),
      ),
      refetchInterval: pollEvery(client, isRelocationRunning),
    }),
    /** It reads every file of the place, so it is made anew only where a start is refused. */
    estimate: (request: RelocationRequest) => ({
      ...query([...KEYS.relocations, request], (api, options) =>
        api.relocations.estimate(request, options),
      ),
      ...CONSTANT,
      gcTime: 0,
    }),
  };
}
