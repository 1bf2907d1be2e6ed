import { CATALOGUE } from '../provider/catalogue.ts';
import {
  describePayback,
  formatBytes,
  formatCount,
  formatMoney,
  formatNumber,
} from '../../sdk/src/figures.ts';
import type {
  MoveBreakdown,
  ChangeCandidate,
  CleanUpCandidate,
  DecisionContext,
  MoveCandidate,
} from './model.ts';
import type { Confidence } from './confidence.ts';
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
    `${title} stores it for ${formatMoney(monthly.none)} a month instead of ${formatMoney(cost.stay.none)}.`,
    `Moving costs ${formatMoney(quote.totalUsd)} once, ${formatMoney(quote.egressUsd)} of it egress; ${paidBack(quote.totalUsd, savingsUsd)}.`,
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
    `${toClass} stores it for ${formatMoney(changed.none)} a month instead of ${formatMoney(stay.none)}, and it can be read at once.`,
    `The change costs ${formatMoney(transitionUsd)} once, ${paidBack(transitionUsd, savingsUsd)}.`,
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
        `The parts of ${formatCount(objects, 'unfinished upload')} (${formatBytes(bytes)}) cost ${formatMoney(savingsUsd)} a month and are not a readable object.`,
      ];
    case 'expire_old_versions':
      return [
        `${formatCount(objects, 'old version')} (${formatBytes(bytes)}) cost ${formatMoney(savingsUsd)} a month.`,
      ];
  }
}

const CHEAPEST_IN = [
  'in none of the three read scenarios, though it beats staying in each',
  'in one of the three read scenarios',
  'in two of the three read scenarios',
  'whether the objects are never read, read as expected, or read heavily',
] as const;

/** What a confidence rests on. */
export function confidenceReason({ scenarios, hasUncertainPrice }: Confidence): string {
  const cheapest = `It is the cheapest answer ${CHEAPEST_IN[scenarios] ?? ''}`;
  return hasUncertainPrice
    ? `${cheapest}; a price that it depends on is uncertain.`
    : `${cheapest}.`;
}

function paidBack(oneOffUsd: number, savingsUsd: number): string {
  return describePayback(breakEvenMonths(oneOffUsd, savingsUsd));
}

function totalReason(horizonMonths: number, placedUsd: number, stayUsd: number): string {
  return `Over ${formatCount(horizonMonths, 'month')} with the expected reads it costs ${formatMoney(placedUsd)}; staying costs ${formatMoney(stayUsd)}.`;
}
