import { CATALOGUE } from '../provider/catalogue.ts';
import {
  formatCount,
  formatNumber,
  formatBytes,
  formatMonths,
  formatUsd,
} from '../common/format.ts';
import type {
  MoveBreakdown,
  ChangeCandidate,
  CleanUpCandidate,
  DecisionContext,
  MoveCandidate,
} from './model.ts';
import type { Blocker } from './types.ts';
import { breakEvenMonths, totalOver } from './amounts.ts';

/** Why objects of a move stay at the source: one blocker per reason, for sizes one per target. */
export function listBlockers(breakdown: MoveBreakdown): readonly Blocker[] {
  return [...restoreBlockers(breakdown), ...keyBlockers(breakdown), ...sizeBlockers(breakdown)];
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

function sizeBlockers({ tooLarge }: MoveBreakdown): readonly Blocker[] {
  return tooLarge.map(({ target: { provider, maxObjectBytes }, objects }) => {
    const { title } = CATALOGUE[provider];
    return {
      code: 'object_too_large',
      message: `${formatCount(objects, 'object')} above ${formatNumber(maxObjectBytes)} bytes, the most that ${title} stores in one, would stay behind in a move to ${title} (${provider}); the figures include them.`,
      objects,
    };
  });
}

/** Why a move is recommended, in sentences with their figures. */
export function moveReasons(
  { configured, horizonMonths }: DecisionContext,
  { cost, move, savingsUsd }: MoveCandidate,
  { unpricedObjects }: MoveBreakdown,
): readonly string[] {
  const { monthly, quote, target } = move;
  const { provider } = target;
  const { title } = CATALOGUE[provider];
  const isConfigured = configured.includes(provider);
  return [
    `${title} stores it for ${formatUsd(monthly.none)} a month instead of ${formatUsd(cost.stay.none)}.`,
    `Moving costs ${formatUsd(quote.totalUsd)} once, of which ${formatUsd(quote.egressUsd)} is egress${breakEven(quote.totalUsd, savingsUsd)}.`,
    totalReason(
      horizonMonths,
      totalOver(horizonMonths, monthly, quote.totalUsd).expected,
      totalOver(horizonMonths, cost.stay).expected,
    ),
    ...(isConfigured ? [] : [`${title} has to be configured first.`]),
    ...(unpricedObjects > 0
      ? [`${formatCount(unpricedObjects, 'object')} of classes without a price sheet stay.`]
      : []),
  ];
}

/** Why a change of class is recommended. */
export function changeReasons(
  { horizonMonths }: DecisionContext,
  { cost, toClass, savingsUsd }: ChangeCandidate,
): readonly string[] {
  const { stay, changed, transitionUsd } = cost;
  return [
    `${toClass} stores it for ${formatUsd(changed.none)} a month instead of ${formatUsd(stay.none)}, and it can be read at once.`,
    `The change costs ${formatUsd(transitionUsd)} once${breakEven(transitionUsd, savingsUsd)}.`,
    totalReason(
      horizonMonths,
      totalOver(horizonMonths, changed, transitionUsd).expected,
      totalOver(horizonMonths, stay).expected,
    ),
  ];
}

/** Why a clean-up is recommended. */
export function cleanUpReasons(candidate: CleanUpCandidate): readonly string[] {
  const { objects, bytes, savingsUsd } = candidate;
  switch (candidate.kind) {
    case 'abort_multipart_uploads':
      return [
        `The parts of ${formatCount(objects, 'unfinished upload')} (${formatBytes(bytes)}) cost ${formatUsd(savingsUsd)} a month and are not a readable object.`,
      ];
    case 'expire_old_versions':
      return [
        `${formatCount(objects, 'old version')} (${formatBytes(bytes)}) cost ${formatUsd(savingsUsd)} a month.`,
      ];
  }
}

function breakEven(oneOffUsd: number, savingsUsd: number): string {
  const after = breakEvenMonths(oneOffUsd, savingsUsd);
  return after === null ? '' : `; the savings have paid for it after ${formatMonths(after)}`;
}

function totalReason(horizonMonths: number, placedUsd: number, stayUsd: number): string {
  return `Over ${formatMonths(horizonMonths)} at the expected reads it costs ${formatUsd(placedUsd)} in all; staying costs ${formatUsd(stayUsd)}.`;
}
