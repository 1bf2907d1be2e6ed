import { isRole, type Connection } from '../../domain/connections/connection.ts';
import type { Schedule } from '../../domain/connections/schedule.ts';
import type { ServiceIdentity } from '../../operations/connections/connections.ts';
import type { View } from '../http/route.ts';
import type { ConnectionView, ScheduleView, ServiceIdentityView } from './schemas.ts';

const SHOWN_FROM_LENGTH = 16;

export function presentServiceIdentity({
  awsAccountId,
  templateUrl,
}: ServiceIdentity): View<typeof ServiceIdentityView> {
  return { awsAccountId, templateUrl: templateUrl ?? null };
}

/**
 * @param mayChange whether it is for a person who may change something; others see the external id
 * masked
 */
export function presentConnection(
  connection: Connection,
  mayChange: boolean,
): View<typeof ConnectionView> {
  const { connectionId, bucketCount, warnings } = connection;
  const createdAt = connection.createdAt.toISOString();
  const schedule = connection.schedule ? presentSchedule(connection.schedule) : null;
  const scope = presentScope(connection, mayChange);
  return { connectionId, ...scope, bucketCount, warnings, createdAt, schedule };
}

function presentScope(connection: Connection, mayChange: boolean) {
  if (!isRole(connection)) return { provider: connection.provider, buckets: connection.buckets };
  const { roleArn, regions } = connection;
  const externalId = mayChange ? connection.externalId : mask(connection.externalId);
  return { roleArn, externalId, regions };
}

/** Shows nothing of one that is short: it could be guessed from its beginning. */
function mask(externalId: string): string {
  return externalId.length < SHOWN_FROM_LENGTH ? '…' : `${externalId.slice(0, 4)}…`;
}

export function presentSchedule({
  every,
  hourUtc,
  nextAt,
  last,
}: Schedule): View<typeof ScheduleView> {
  return {
    every,
    hourUtc,
    nextAt: nextAt.toISOString(),
    last: last && { at: last.at.toISOString(), scanId: last.scanId, outcome: last.outcome },
  };
}
