import type { DueSchedule } from '../../adapters/mongo/common/schedules.ts';
import { AppError } from '../../domain/common/errors.ts';
import type { DrillSchedule } from '../../domain/drills/schedule.ts';
import { startDrill } from '../../operations/drills/drills.ts';
import { startDue } from '../common/due-starts.ts';
import type { MigrationContext } from '../contexts.ts';

/** Starts the drill that a schedule has due. It is of the person who has set the schedule. */
export async function startDueDrill(
  context: MigrationContext,
  due: DueSchedule<DrillSchedule>,
): Promise<'scheduled' | 'waiting'> {
  const { drillSchedules, now } = context;
  return await startDue(due, {
    now,
    subject: due.accountId,
    start: (drillId) => start(context, due, drillId),
    refusals: ['drill_running', 'plan_limit', 'quote_exceeded'],
    postpone: (nextAttemptAt) => drillSchedules.due.postpone(due, nextAttemptAt),
    settle: ({ at, id: drillId, outcome }, nextAt) =>
      drillSchedules.settleDue(due, { at, drillId, outcome }, nextAt),
  });
}

async function start(
  context: MigrationContext,
  { accountId, schedule: { drill, setBy: person, requestId } }: DueSchedule<DrillSchedule>,
  drillId: string,
): Promise<void> {
  const account = await context.accounts.findAccount(accountId);
  if (!account) throw new AppError('not_found');
  if (await context.drills.findRun({ drillId, accountId })) return;
  await startDrill(context, account, { accountId, person, requestId }, drill, drillId);
}
