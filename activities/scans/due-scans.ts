import type { DueConnection } from '../../adapters/mongo/connections/connections.ts';
import { AppError } from '../../domain/common/errors.ts';
import { nameUuid } from '../../domain/common/name-uuid.ts';
import { afterBackoff, MAX_RESTARTS } from '../../domain/common/sweep.ts';
import { dueAfter, type DueOutcome } from '../../domain/connections/schedule.ts';
import { beginScan } from '../../operations/scans/start-scan.ts';
import type { ScanContext } from '../contexts.ts';

/**
 * Starts the scan that a schedule has due. Its id follows from the connection and the time, so that
 * however many processes try, and however often, it is one scan. What cannot be started for now is
 * tried again, ever more rarely.
 */
export async function startDueScan(
  context: ScanContext,
  due: DueConnection,
): Promise<'scheduled' | 'waiting'> {
  const { connections, now } = context;
  const { connectionId, schedule } = due;
  const scanId = nameUuid(connectionId, schedule.nextAt.toISOString());
  const outcome = await tryToStart(context, due, scanId).catch(() => undefined);
  if (!outcome && due.attempts < MAX_RESTARTS) {
    await connections.due.postpone(due, afterBackoff(due.attempts, now()));
    return 'waiting';
  }
  const at = now();
  const last = {
    at,
    scanId: outcome === 'started' ? scanId : null,
    outcome: outcome ?? 'failed',
  };
  await connections.settleDue(due, last, dueAfter(schedule, schedule.nextAt, at));
  return 'scheduled';
}

async function tryToStart(
  context: ScanContext,
  { accountId, connectionId, provider }: DueConnection,
  scanId: string,
): Promise<DueOutcome> {
  const account = await context.accounts.findAccount(accountId);
  if (!account) return 'failed';
  if (await context.scans.findScan({ scanId, accountId })) return 'started';
  try {
    const scan = { scanId, accountId, connectionId, provider, startedAt: context.now() };
    await beginScan(context, account, scan);
    return 'started';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'plan_limit' || error.code === 'scan_already_running') return error.code;
    throw error;
  }
}
