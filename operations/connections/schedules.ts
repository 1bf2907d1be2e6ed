import { describeActivity, type Actor } from '../../domain/accounts/activity.ts';
import { AppError } from '../../domain/common/errors.ts';
import { firstDue, type ScheduleRule } from '../../domain/common/schedule.ts';
import type { ScanPeriod, ScanSchedule } from '../../domain/connections/schedule.ts';
import type { Deps } from '../common/deps.ts';
import { findConnection } from './source.ts';

export type ScheduleDeps = Deps<'connections' | 'activities' | 'now' | 'onBackgroundError'>;

/**
 * Sets when scans of a connection start by themselves. The rule that is set already changes
 * nothing.
 *
 * @throws AppError `connection_not_found`
 */
export async function setSchedule(
  deps: ScheduleDeps,
  actor: Actor,
  connectionId: string,
  { every, hourUtc }: ScheduleRule<ScanPeriod>,
): Promise<ScanSchedule> {
  const { connections, now } = deps;
  const key = { connectionId, accountId: actor.accountId };
  const { schedule: present } = await findConnection(deps, key);
  if (present?.every === every && present.hourUtc === hourUtc) return present;
  const at = now();
  const schedule = { every, hourUtc, nextAt: firstDue({ every, hourUtc }, connectionId, at) };
  const activity = describeActivity(actor, 'schedule.saved', connectionId, at);
  if (!(await connections.saveSchedule(key, schedule, activity)))
    throw new AppError('connection_not_found');
  await publish(deps, connectionId);
  return { ...schedule, last: present?.last ?? null };
}

/**
 * No effect without a schedule.
 *
 * @throws AppError `connection_not_found`
 */
export async function removeSchedule(
  deps: ScheduleDeps,
  actor: Actor,
  connectionId: string,
): Promise<void> {
  const key = { connectionId, accountId: actor.accountId };
  await findConnection(deps, key);
  const activity = describeActivity(actor, 'schedule.deleted', connectionId, deps.now());
  await deps.connections.removeSchedule(key, activity);
  await publish(deps, connectionId);
}

function publish({ activities, onBackgroundError }: ScheduleDeps, connectionId: string) {
  return activities.publish('connections', connectionId).catch(onBackgroundError);
}
