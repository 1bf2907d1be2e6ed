import { createMethods, dashboard } from '../http/methods.ts';
import type { PagedList } from '../http/paged.ts';
import type { CallOptions, PageOptions, Route, Transport } from '../http/transport.ts';
import type { ActivityPage, Health, Me, Person } from '../http/api-types.ts';

export const accountRoutes = {
  me: { method: 'GET', path: '/v1/me', auth: 'apiKey' },
  account: dashboard('GET', '/v1/account'),
  person: dashboard('GET', '/v1/account/person'),
  activity: dashboard('GET', '/v1/account/activity'),
  health: { method: 'GET', path: '/health', auth: 'none' },
} as const satisfies Record<string, Route>;

/** Calls about the account and the service. */
export interface Account {
  /** The account of the key. Gigabytes are 10^9 bytes; a null quota is unlimited. */
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
  const { plain, paged } = createMethods(transport);
  return {
    me: plain(accountRoutes.me),
    account: plain(accountRoutes.account),
    person: plain(accountRoutes.person),
    activity: paged(
      accountRoutes.activity,
      ({ at, requestId, action, on }) => `${at} ${requestId} ${action} ${on}`,
    ),
    health: plain(accountRoutes.health),
  };
}
