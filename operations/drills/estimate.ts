import { sumBy } from '../../domain/common/sums.ts';
import type { DrillRecord } from '../../domain/drills/drill.ts';
import type { Group } from '../../domain/inventory/inventory.ts';
import { freeEgressGb } from '../../domain/relocations/estimate.ts';
import type { Deps } from '../common/deps.ts';
import { findFreeEgressGb } from '../relocations/relocations.ts';

/** The egress that costs nothing at both places, by what the account stores there. */
export async function findFreeGb(
  deps: Deps<'files' | 'priceBook'>,
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
      ? findFreeEgressGb(deps, accountId, from)
      : freeEgressGb(
          deps.priceBook,
          from,
          sumBy(groups, ({ bytes }) => bytes),
        ),
    findFreeEgressGb(deps, accountId, to),
  ]);
  return { from: atSource, to: atTarget };
}
