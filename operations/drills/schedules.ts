import { isDeepStrictEqual } from 'node:util';
import type { Account } from '../../domain/accounts/account.ts';
import { describeActivity, type Actor } from '../../domain/accounts/activity.ts';
import { AppError } from '../../domain/common/errors.ts';
import { firstDue } from '../../domain/common/schedule.ts';
import type { DrillSchedule } from '../../domain/drills/schedule.ts';
import type { Deps } from '../common/deps.ts';
import { estimateDrillOf, type DrillDeps } from './drills.ts';
import { exceeded } from '../relocations/relocations.ts';

export type DrillScheduleDeps = DrillDeps & Deps<'drillSchedules'>;

/**
 * Sets when exit drills start by themselves. What is set already changes nothing.
 *
 * @throws AppError `invalid_request`, `connection_not_found`, `provider_not_configured`,
 * `quote_exceeded`
 */
export async function setDrillSchedule(
  deps: DrillScheduleDeps,
  account: Account,
  actor: Actor,
  { every, hourUtc, drill }: Pick<DrillSchedule, 'every' | 'hourUtc' | 'drill'>,
): Promise<DrillSchedule> {
  const { drillSchedules, now } = deps;
  const { accountId } = account;
  const present = await drillSchedules.find(accountId);
  const isSame = present?.every === every && present.hourUtc === hourUtc;
  if (isSame && isDeepStrictEqual(present.drill, drill)) return present;
  const { totalUsd } = await estimateDrillOf(deps, account, drill);
  if (totalUsd > drill.maxTotalUsd) throw exceeded(totalUsd, drill.maxTotalUsd, '/totalUsd');
  const at = now();
  const nextAt = firstDue({ every, hourUtc }, accountId, at);
  const { person: setBy, requestId } = actor;
  const schedule = { every, hourUtc, drill, setBy, requestId, nextAt };
  const activity = describeActivity(actor, 'schedule.saved', 'drills', at);
  await drillSchedules.save(accountId, schedule, activity);
  await publish(deps, accountId);
  return { ...schedule, last: present?.last ?? null };
}

/** @throws AppError `not_found` without a schedule */
export async function getDrillSchedule(
  { drillSchedules }: DrillScheduleDeps,
  { accountId }: Account,
): Promise<DrillSchedule> {
  const schedule = await drillSchedules.find(accountId);
  if (!schedule) throw new AppError('not_found');
  return schedule;
}

/** No effect without a schedule. */
export async function removeDrillSchedule(deps: DrillScheduleDeps, actor: Actor): Promise<void> {
  const { accountId } = actor;
  const activity = describeActivity(actor, 'schedule.deleted', 'drills', deps.now());
  await deps.drillSchedules.remove(accountId, activity);
  await publish(deps, accountId);
}

function publish({ activities, onBackgroundError }: DrillScheduleDeps, accountId: string) {
  return activities.publish('drillSchedules', accountId).catch(onBackgroundError);
}
