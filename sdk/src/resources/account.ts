import { type PagedList, pagedList } from '../http/paged.ts';
import type { CallOptions, PageOptions, Route, Transport } from '../http/transport.ts';
import type { Activity, ActivityPage, Health, Me, Person } from '../http/api-types.ts';

export const accountRoutes = {
  me: { method: 'GET', path: '/v1/me', auth: 'apiKey' },
  account: { method: 'GET', path: '/v1/account', auth: 'dashboard' },
  person: { method: 'GET', path: '/v1/account/person', auth: 'dashboard' },
  activity: { method: 'GET', path: '/v1/account/activity', auth: 'dashboard' },
  health: { method: 'GET', path: '/health', auth: 'none' },
} as const satisfies Record<string, Route>;

/** Calls about the account and the service. */
export interface Account {
  /** The account of the key, and its usage of the plan. Gigabytes are 10^9 bytes; a null quota is unlimited. */
  me(options?: CallOptions): Promise<Me>;
  /** The same as `me`, for a dashboard token. */
  account(options?: CallOptions): Promise<Me>;
  /** The person of the dashboard token, and whether the role allows changes. */
  person(options?: CallOptions): Promise<Person>;
  /** What the people of the account have changed, the newest first. */
  activity(options?: PageOptions): PagedList<ActivityPage>;
  /** The state of the service and of its dependencies. Requires no credentials. */
  health(options?: CallOptions): Promise<Health>;
}

export function createAccount(transport: Transport): Account {
  return {
    me: (options = {}) => transport.call(accountRoutes.me, options),
    account: (options = {}) => transport.call(accountRoutes.account, options),
    person: (options = {}) => transport.call(accountRoutes.person, options),
    activity: (options = {}) =>
      pagedList<Activity, ActivityPage>(
        ({ limit, offset }) =>
          transport.call(accountRoutes.activity, { ...options, query: { limit, offset } }),
        options,
        ({ at, requestId, action, on }) => `${at} ${requestId} ${action} ${on}`,
      ),
    health: (options = {}) => transport.call(accountRoutes.health, options),
  };
}
