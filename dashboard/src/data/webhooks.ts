import { queryOptions } from '@tanstack/react-query';
import { useApi } from './api.ts';
import { KEYS } from './keys.ts';

const POLL_MS = 5_000;

/** The addresses that are told of events. */
export function useWebhookQueries() {
  const call = useApi();
  return {
    webhooks: queryOptions({
      queryKey: KEYS.webhooks,
      queryFn: ({ signal }) => call((api) => api.webhooks.list({ signal })),
    }),
    /** Fetched again while one of them is on its way. */
    deliveries: (webhookId: string) =>
      queryOptions({
        queryKey: [...KEYS.webhooks, webhookId],
        queryFn: ({ signal }) => call((api) => api.webhooks.deliveries(webhookId, { signal })),
        refetchInterval: POLL_MS,
      }),
  };
}
