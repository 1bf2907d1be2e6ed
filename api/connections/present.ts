import { isRole, type Connection } from '../../domain/connections/connection.ts';
import type { ScanSchedule } from '../../domain/connections/schedule.ts';
import type { ServiceIdentity } from '../../operations/connections/connections.ts';
import { toView, type View } from '../http/route.ts';
import { ConnectionView, ScheduleView, type ServiceIdentityView } from './schemas.ts';

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
  const schedule = connection.schedule ? presentSchedule(connection.schedule) : null;
  if (isRole(connection)) {
    const { provider: _, ...role } = connection;
    const externalId = mayChange ? role.externalId : mask(role.externalId);
    return toView(ConnectionView, { ...role, externalId, schedule });
  }
  return toView(ConnectionView, { ...connection, schedule });
}

/** Shows nothing of one that is short: it could be guessed from its beginning. */
function mask(externalId: string): string {
  return externalId.length < SHOWN_FROM_LENGTH ? '…' : `${externalId.slice(0, 4)}…`;
}

export function presentSchedule(schedule: ScanSchedule): View<typeof ScheduleView> {
  const { last } = schedule;
  return toView(ScheduleView, {
    ...schedule,
    last: last && { at: last.at.toISOString(), scanId: last.scanId, outcome: last.outcome },
  });
}
