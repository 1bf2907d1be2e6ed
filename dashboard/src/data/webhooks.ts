import { queryOptions } from '@tanstack/react-query';
import { useApi } from './api.ts';
import { KEYS } from './keys.ts';

/**
 * An event that was just sent is listed a moment later; all webhooks of an account together ask
 * less than once a second.
 */
const POLL_MS = 10_000;

/** The addresses that receive events. */
export function useWebhookQueries() {
  const call = useApi();
  return {
    webhooks: queryOptions({
      queryKey: KEYS.webhooks,
      queryFn: ({ signal }) => call((api) => api.webhooks.list({ signal })),
    }),
    deliveries: (webhookId: string) =>
      queryOptions({
        queryKey: [...KEYS.webhooks, webhookId],
        queryFn: ({ signal }) => call((api) => api.webhooks.deliveries(webhookId, { signal })),
        refetchInterval: POLL_MS,
      }),
  };
}
