import {
  connectRole,
  connectStore,
  findServiceIdentity,
  removeConnection,
  type ConnectionDeps,
  type ServiceIdentityDeps,
} from '../../operations/connections/connections.ts';
import { presentConnection, presentSchedule, presentServiceIdentity } from './present.ts';
import {
  removeSchedule,
  setSchedule,
  type ScheduleDeps,
} from '../../operations/connections/schedules.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { NoContent } from '../http/schemas.ts';
import {
  ConnectionId,
  ConnectionList,
  ConnectionView,
  ConnectRequest,
  ScheduleRequest,
  ScheduleView,
  ServiceIdentityView,
} from './schemas.ts';

export type ConnectionRoutesDeps = ConnectionDeps & ServiceIdentityDeps & ScheduleDeps;

/** The connected cloud accounts, and when they are scanned. */
export function createConnectionRoutes(deps: ConnectionRoutesDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/scanner/service-identity',
      auth: 'dashboard',
      summary: 'Get the AWS account that a role must trust',
      description:
        'The principal of the trust policy is `arn:aws:iam::<awsAccountId>:root`. `templateUrl` is the address of the CloudFormation template of the role, for a quick-create link; null if the operator has published none.',
      replies: { 200: ServiceIdentityView },
      refusals: ['provider_error'],
      mayTakeLong: () => true,
      async handle() {
        return { status: 200, body: presentServiceIdentity(await findServiceIdentity(deps)) };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/scanner/connect',
      auth: 'dashboard',
      summary: 'Connect a cloud account by a read-only role, or a store by its stored credentials',
      description:
        'Before it answers, the service verifies that the role demands its external id, assumes it, and lists the buckets. A role of the service’s own AWS account is refused unless the operator allows it. 422 says whether the trust policy or a permission is the reason. Scans skip buckets outside `regions`. With `provider`, the stored credentials of another store are used instead of a role: all buckets that they may list, or those that are named and the provider’s own. It stays at the place that is stored now where the provider gets another one, until it is connected again.',
      body: ConnectRequest,
      replies: { 201: ConnectionView },
      refusals: [
        'provider_not_configured',
        'role_already_connected',
        'role_not_assumable',
        'provider_error',
      ],
      mayTakeLong: () => true,
      async handle({ account, actor, body }) {
        const connection =
          'roleArn' in body
            ? await connectRole(deps, actor, body)
            : await connectStore(deps, actor, account, body);
        return { status: 201, body: presentConnection(connection, true) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/connections',
      auth: 'dashboard',
      summary: 'List the connected cloud accounts',
      description:
        'The role, its external id (masked for a person who may only read) and the regions of each connected account, and the buckets that were found when it was connected.',
      replies: { 200: ConnectionList },
      refusals: [],
      async handle({ account, mayChange }) {
        const items = await deps.connections.listConnections(account.accountId);
        const shown = items.map((each) => presentConnection(each, mayChange));
        return { status: 200, body: { items: shown } };
      },
    }),

    defineRoute({
      method: 'DELETE',
      path: '/v1/scanner/connections/{connectionId}',
      auth: 'dashboard',
      summary: 'Disconnect a cloud account, which frees its role',
      description:
        'Scans of the account stay readable in the history. Delete the role in the account as well.',
      params: ConnectionId,
      replies: { 204: NoContent },
      refusals: ['connection_not_found', 'scan_already_running'],
      async handle({ actor, params: { connectionId } }) {
        await removeConnection(deps, actor, connectionId);
        return { status: 204 };
      },
    }),

    defineRoute({
      method: 'PUT',
      path: '/v1/scanner/connections/{connectionId}/schedule',
      auth: 'dashboard',
      summary: 'Scan a cloud account every day, week or month',
      description:
        'Scans start automatically within two minutes of `nextAt`, at the given hour (UTC) and a minute that is fixed for each connection, and count against the plan. Runs missed while the service was down are made up for by one scan. `last` contains the outcome of the latest run.',
      params: ConnectionId,
      body: ScheduleRequest,
      replies: { 200: ScheduleView },
      refusals: ['connection_not_found'],
      async handle({ actor, params: { connectionId }, body }) {
        const schedule = await setSchedule(deps, actor, connectionId, body);
        return { status: 200, body: presentSchedule(schedule) };
      },
    }),

    defineRoute({
      method: 'DELETE',
      path: '/v1/scanner/connections/{connectionId}/schedule',
      auth: 'dashboard',
      summary: 'Stop the automatic scans of a cloud account',
      description: 'A scan that runs goes on. No effect without a schedule.',
      params: ConnectionId,
      replies: { 204: NoContent },
      refusals: ['connection_not_found'],
      async handle({ actor, params: { connectionId } }) {
        await removeSchedule(deps, actor, connectionId);
        return { status: 204 };
      },
    }),
  ];
}
