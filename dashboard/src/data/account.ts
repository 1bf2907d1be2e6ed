import type { Person } from '@storage-routing/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { loadConfig } from '../session/config.ts';
import { KEYS } from './keys.ts';
import { pageOptions } from './page.ts';
import { CONSTANT, KEEP_PREVIOUS, useQueryOf } from './query.ts';

/** The account, its key and its subscription. */
export function useAccountQueries() {
  const query = useQueryOf();
  return {
    account: query(KEYS.account, (api, options) => api.account(options)),
    /** The person of the token; another role needs another login. */
    person: { ...query(KEYS.person, (api, options) => api.person(options)), ...CONSTANT },
    activity: (page: number) => ({
      ...query([...KEYS.activity, page], (api, options) =>
        api.activity({ ...pageOptions(page), ...options }),
      ),
      ...KEEP_PREVIOUS,
    }),
    apiKey: query(KEYS.apiKey, (api, options) => api.apiKey.get(options)),
    /** The settings of the page; they change with the service only. */
    config: queryOptions({ queryKey: KEYS.config, queryFn: loadConfig, ...CONSTANT }),
    /** Only if the configuration says that plans can be bought. */
    subscription: query(KEYS.subscription, (api, options) => api.billing.subscription(options)),
  };
}

/** Who is logged in; undefined until it is known. */
export function usePerson(): Person | undefined {
  return useQuery(useAccountQueries().person).data;
}
