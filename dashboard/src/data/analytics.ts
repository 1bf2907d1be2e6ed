import type { RoutedFile } from '@storage-routing/client';
import { useApi } from './api.ts';
import { KEYS } from './keys.ts';
import { LARGEST_PAGE, pageOptions } from './page.ts';
import { KEEP_PREVIOUS, useQueryOf } from './query.ts';

/** What was routed, and what it saved. */
export function useAnalyticsQueries() {
  const call = useApi();
  const query = useQueryOf();
  return {
    summary: query([...KEYS.analytics, 'summary'], (api, options) =>
      api.analytics.summary(options),
    ),
    monthly: query([...KEYS.analytics, 'monthly'], (api, options) =>
      api.analytics.monthly(options),
    ),
    history: (page: number) => ({
      ...query([...KEYS.analytics, 'history', page], (api, options) =>
        api.analytics.routingHistory({ ...pageOptions(page), ...options }),
      ),
      ...KEEP_PREVIOUS,
    }),
    /** Every line of it that the service lists, for an export. */
    wholeHistory: () =>
      call(async (api) => {
        const lines: RoutedFile[] = [];
        for await (const line of api.analytics.routingHistory({ limit: LARGEST_PAGE }))
          lines.push(line);
        return lines;
      }),
    routedFile: (fileId: string) =>
      query([...KEYS.analytics, 'file', fileId], (api, options) =>
        api.analytics.routedFile(fileId, options),
      ),
  };
}
