import type { DueConnection } from '../../adapters/mongo/connections/connections.ts';
import { AppError } from '../../domain/common/errors.ts';
import { beginScan } from '../../operations/scans/start-scan.ts';
import { startDue } from '../common/due-starts.ts';
import type { ScanContext } from '../contexts.ts';

/** Starts the scan that a schedule has due. */
export async function startDueScan(
  context: ScanContext,
  due: DueConnection,
): Promise<'scheduled' | 'waiting'> {
  const { connections, now } = context;
  return await startDue(due, {
    now,
    subject: due.connectionId,
    start: (scanId) => start(context, due, scanId),
    refusals: ['scan_already_running', 'plan_limit'],
    postpone: (nextAttemptAt) => connections.due.postpone(due, nextAttemptAt),
    settle: ({ at, id: scanId, outcome }, nextAt) =>
      connections.settleDue(due, { at, scanId, outcome }, nextAt),
  });
}

async function start(
  context: ScanContext,
  { accountId, connectionId, provider }: DueConnection,
  scanId: string,
): Promise<void> {
  const account = await context.accounts.findAccount(accountId);
  if (!account) throw new AppError('connection_not_found');
  if (await context.scans.findScan({ scanId, accountId })) return;
  const scan = { scanId, accountId, connectionId, provider, startedAt: context.now() };
  await beginScan(context, account, scan);
}
