import type { Account } from '../../domain/accounts/account.ts';
import type { ScanRecord } from '../../domain/scans/scan.ts';
import { planLimit } from '../../domain/accounts/entitlement.ts';
import { AppError } from '../../domain/common/errors.ts';
import { toMonth } from '../../domain/common/time.ts';
import type { NewScan } from '../../adapters/temporal/scan-commands.ts';
import { retryTransient } from '../../adapters/retry.ts';
import type { Deps } from '../common/deps.ts';
import { hasEnded } from '../connections/idle.ts';

export type StartScanDeps = Deps<'scans' | 'scanQuota' | 'scanCommands' | 'plans'>;

/** A scan as it is stored at its start. */
export type QueuedScan = NewScan & Pick<ScanRecord, 'provider'>;

const START_ATTEMPTS = 40;
const START_RETRY_MS = 50;

/**
 * Starts a scan of a connection, counts it against the plan, and stores it. The same scan may be
 * begun again.
 *
 * @throws AppError `scan_already_running`, `plan_limit`
 */
export async function beginScan(
  deps: StartScanDeps,
  account: Account,
  scan: QueuedScan,
): Promise<void> {
  await startWorkflow(deps, scan);
  await bookScan(deps, account, scan);
}

/** The connection's last scan has ended, and its workflow closes within moments. */
class ScanEndingError extends AppError {
  readonly isTransient = true;

  constructor() {
    super('scan_already_running');
  }
}

/** The workflow id is the connection's lock. It stays taken for a moment after a scan has ended. */
function startWorkflow(deps: StartScanDeps, scan: NewScan): Promise<void> {
  return retryTransient({ attempts: START_ATTEMPTS, delayMs: () => START_RETRY_MS }, async () => {
    try {
      await deps.scanCommands.startScan(scan);
    } catch (error) {
      const isTaken = error instanceof AppError && error.code === 'scan_already_running';
      if (!isTaken) throw error;
      const running = await deps.scanCommands.findRunningScan(scan.connectionId);
      // A process that died before it counted the scan has started it.
      if (running === scan.scanId) return;
      throw (await hasEnded(deps, running, scan)) ? new ScanEndingError() : error;
    }
  });
}

/**
 * Counts the started scan, and terminates it if the plan does not allow it. The workflow counts it
 * too, under the same id, in case this process dies here.
 */
async function bookScan(deps: StartScanDeps, { plan }: Account, scan: QueuedScan): Promise<void> {
  const { scanQuota, scans, scanCommands, plans } = deps;
  const period = { accountId: scan.accountId, month: toMonth(scan.startedAt) };
  const limits = plans[plan];
  if (await scanQuota.book(period, scan.scanId, limits.scansPerMonth))
    return scans.insertQueued(scan);
  const refusal = planLimit(plan, limits, 'scan');
  await scanCommands.abandon(scan, refusal.message);
  throw refusal;
}
