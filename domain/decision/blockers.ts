import { isBelowLimit } from '../common/sums.ts';
import { formatCount, formatMoney, formatNumber } from '../../shared/amounts.ts';
import type { EgressRefusal, Move, MoveBreakdown } from './model.ts';
import type { Target } from './region-rates.ts';
import { formatTimes } from '../common/format.ts';
import type { Blocker } from './types.ts';

/** Why objects of a move stay at the source: one blocker per reason, for sizes one per target. */
export function listBlockers(breakdown: MoveBreakdown): readonly Blocker[] {
  return [
    ...restoreBlockers(breakdown),
    ...keyBlockers(breakdown),
    ...sizeBlockers(breakdown.tooLarge),
  ];
}

/**
 * What speaks against one option of a move.
 *
 * | code               | the option                                                              | may be recommended |
 * |--------------------|-------------------------------------------------------------------------|--------------------|
 * | `object_too_large` | has objects that the store does not take at their size                  | yes                |
 * | `egress_refused`   | has objects that are read more often than the store's terms allow       | no                 |
 * | `below_floor`      | and the other moves to its store stay below the least that it charges   | no                 |
 *
 * @param storedUsd per month at the store, the option and the other moves that are recommended
 * there
 */
export function optionBlockers(
  { tooLarge }: MoveBreakdown,
  { target, refusal }: Move,
  storedUsd: number,
  objects: number,
): readonly Blocker[] {
  return [
    ...sizeBlockers(tooLarge.filter((one) => one.target.provider === target.provider)),
    ...(refusal ? [refusalBlocker(target, refusal)] : []),
    ...(isBelowLimit(storedUsd, target.floorUsdPerMonth)
      ? [floorBlocker(target, storedUsd, objects)]
      : []),
  ];
}

function refusalBlocker(
  { title }: Target,
  { objects, freeMultiple, fullReads }: EgressRefusal,
): Blocker {
  const most =
    freeMultiple === 1
      ? 'as much egress a month as is stored'
      : `${formatNumber(freeMultiple)} times as much egress a month as is stored`;
  const message = `${title} takes at most ${most}; ${formatTimes(fullReads)} is expected if it is read heavily.`;
  return { code: 'egress_refused', message, objects };
}

function floorBlocker(
  { title, floorUsdPerMonth }: Target,
  storedUsd: number,
  objects: number,
): Blocker {
  const message = `${title} charges at least ${formatMoney(floorUsdPerMonth)} a month; all that would be there costs ${formatMoney(storedUsd)}.`;
  return { code: 'below_floor', message, objects };
}

function restoreBlockers({ archivedObjects }: MoveBreakdown): readonly Blocker[] {
  if (archivedObjects === 0) return [];
  const message = `${formatCount(archivedObjects, 'object')} must be restored first and stay behind until then; the figures leave them out.`;
  return [{ code: 'needs_restore', message, objects: archivedObjects }];
}

function keyBlockers({ longKeyObjects }: MoveBreakdown): readonly Blocker[] {
  if (longKeyObjects === 0) return [];
  const message = `${formatCount(longKeyObjects, 'object')} whose key at the target, with the bucket's name in front, would be longer than 1,024 bytes would stay behind in the move; the figures include them.`;
  return [{ code: 'key_too_long', message, objects: longKeyObjects }];
}

function sizeBlockers(tooLarge: MoveBreakdown['tooLarge']): readonly Blocker[] {
  return tooLarge.map(({ target: { provider, title, maxObjectBytes }, objects }) => ({
    code: 'object_too_large',
    message: `${formatCount(objects, 'object')} above ${formatNumber(maxObjectBytes)} bytes, the most that ${title} stores in one, would stay behind in a move to ${title} (${provider}); the figures include them.`,
    objects,
  }));
}
