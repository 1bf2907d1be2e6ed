import { sumBy } from '../../domain/common/sums.ts';
import type { DrillRecord } from '../../domain/drills/drill.ts';
import type { Group } from '../../domain/inventory/inventory.ts';
import { freeEgressGb } from '../../domain/relocations/estimate.ts';
import type { Deps } from '../common/deps.ts';

/** The egress that costs nothing at both places, by what the account stores there. */
export async function findFreeGb(
  { files, priceBook }: Deps<'files' | 'priceBook'>,
  {
    accountId,
    from,
    to,
    connectionId,
  }: Pick<DrillRecord, 'accountId' | 'from' | 'to' | 'connectionId'>,
  groups: readonly Group[],
): Promise<{ readonly from: number; readonly to: number }> {
  const [atSource, atTarget] = await Promise.all([
    connectionId === null
      ? files.sumActiveAt(accountId, from)
      : sumBy(groups, ({ bytes }) => bytes),
    files.sumActiveAt(accountId, to),
  ]);
  return {
    from: freeEgressGb(priceBook, from, atSource),
    to: freeEgressGb(priceBook, to, atTarget),
  };
}
