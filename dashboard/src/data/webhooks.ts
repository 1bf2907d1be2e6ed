import { KEYS } from './keys.ts';
import { useQueryOf } from './query.ts';

/**
 * An event that was just sent is listed a moment later; all webhooks of an account together ask
 * less than once a second.
 */
const POLL_MS = 10_000;

/** The addresses that receive events. */
export function useWebhookQueries() {
  const query = useQueryOf();
  return {
    webhooks: query(KEYS.webhooks, (api, options) => api.webhooks.list(options)),
    deliveries: (webhookId: string) => ({
      ...query([...KEYS.webhooks, webhookId], (api, options) =>
        api.webhooks.deliveries(webhookId, options),
      ),
      refetchInterval: POLL_MS,
    }),
  };
}
