import type { ConnectionKey } from '../../adapters/mongo/connections/connections.ts';
import type { Deps } from '../common/deps.ts';

type IdleDeps = Deps<'scans' | 'scanCommands'>;

/** Whether no scan runs. A workflow may stay open for a moment after its scan has ended. */
export async function isIdle(deps: IdleDeps, key: ConnectionKey): Promise<boolean> {
  return await hasEnded(deps, await deps.scanCommands.findRunningScan(key.connectionId), key);
}

/** Whether the scan of a workflow that runs has ended, or none runs. */
export async function hasEnded(
  { scans }: Pick<IdleDeps, 'scans'>,
  scanId: string | undefined,
  { accountId }: Pick<ConnectionKey, 'accountId'>,
): Promise<boolean> {
  if (scanId === undefined) return true;
  const scan = await scans.findScan({ scanId, accountId });
  return scan?.status === 'completed' || scan?.status === 'failed';
}
