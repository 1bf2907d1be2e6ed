import { randomUUID } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { Connection, ExternalIdRule } from '../../domain/scan/connection.ts';
import type { CloudAccounts } from '../../adapters/cloud-account/cloud-accounts.ts';
import type { CustomerRole } from '../../adapters/cloud-account/roles.ts';
import type { ConnectionKey, Connections } from '../../adapters/mongo/connections.ts';
import type { Scans } from '../../adapters/mongo/scans.ts';
import type { ScanCommands } from '../../adapters/temporal/scan-commands.ts';
import { presentConnection } from '../present/scan.ts';
import { defineRoute, type Route } from '../route.ts';
import { NoContent } from '../schemas.ts';
import {
  ConnectionId,
  ConnectionList,
  ConnectionView,
  ConnectRequest,
} from '../scanner-schemas.ts';
import { withRoleErrors } from '../../adapters/cloud-account/role-errors.ts';

export interface ConnectionRoutesDeps {
  readonly connections: Connections;
  readonly cloudAccounts: CloudAccounts;
  readonly scanCommands: ScanCommands;
  readonly scans: Scans;
  readonly externalIds: ExternalIdRule;
  readonly now: () => Date;
}

const OPEN_ROLE =
  'The role lets in callers that do not know its external id. Add to its trust policy: ' +
  '"Condition": { "StringEquals": { "sts:ExternalId": "<your external id>" } }';

export function createConnectionRoutes({
  connections,
  cloudAccounts,
  scanCommands,
  scans,
  externalIds,
  now,
}: ConnectionRoutesDeps): Route[] {
  async function requireUnbound(roleArn: string, accountId: string): Promise<void> {
    const known = await connections.findByRole(roleArn);
    if (known && known.accountId !== accountId) throw new AppError('role_already_connected');
  }

  /** A scan that has ended may hold its workflow for a moment longer. */
  async function requireIdle({ connectionId, accountId }: ConnectionKey): Promise<void> {
    const scanId = await scanCommands.running(connectionId);
    const scan = scanId === undefined ? undefined : await scans.find({ scanId, accountId });
    const hasEnded = scan?.status === 'completed' || scan?.status === 'failed';
    if (scanId !== undefined && !hasEnded) throw new AppError('scan_already_running');
  }

  /** What anybody could assume is no proof of whose role it is. */
  async function checkExternalId({ roleArn }: CustomerRole): Promise<string[]> {
    if (await withRoleErrors(() => cloudAccounts.demandsExternalId(roleArn))) return [];
    if (externalIds === 'enforce') throw new AppError('role_not_assumable', OPEN_ROLE);
    return [OPEN_ROLE];
  }

  return [
    defineRoute({
      method: 'POST',
      path: '/v1/scanner/connect',
      auth: 'dashboard',
      summary: 'Connect a cloud account by a read-only role, after really assuming it',
      body: ConnectRequest,
      replies: { 201: ConnectionView },
      refusals: ['role_already_connected', 'role_not_assumable', 'provider_error'],
      async handle({ account: { accountId }, body: { roleArn, externalId, regions } }) {
        await requireUnbound(roleArn, accountId);
        const role = { roleArn, externalId };
        const buckets = await withRoleErrors(() => cloudAccounts.listBuckets(role));
        const warnings = await checkExternalId(role);
        const bucketCount = buckets.filter(({ region }) => regions.includes(region)).length;
        const kept: Connection = await connections.save({
          connectionId: randomUUID(),
          accountId,
          ...role,
          regions,
          bucketCount,
          warnings,
          createdAt: now(),
        });
        if (kept.accountId !== accountId) throw new AppError('role_already_connected');
        return { status: 201, body: presentConnection(kept) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/scanner/connections',
      auth: 'dashboard',
      summary: 'List the connected cloud accounts',
      replies: { 200: ConnectionList },
      refusals: [],
      async handle({ account: { accountId } }) {
        const items = (await connections.list(accountId)).map(presentConnection);
        return { status: 200, body: { items } };
      },
    }),

    defineRoute({
      method: 'DELETE',
      path: '/v1/scanner/connections/{connectionId}',
      auth: 'dashboard',
      summary: 'Disconnect a cloud account, which frees its role',
      params: ConnectionId,
      replies: { 204: NoContent },
      refusals: ['connection_not_found', 'scan_already_running'],
      async handle({ account: { accountId }, params: { connectionId } }) {
        const key = { connectionId, accountId };
        if (!(await connections.find(key))) throw new AppError('connection_not_found');
        await requireIdle(key);
        await connections.remove(key);
        return { status: 204 };
      },
    }),
  ];
}
