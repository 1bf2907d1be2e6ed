import { formatTimes } from '../common/format.ts';
import { regionFactor } from '../bill/price-factors.ts';
import {
  describePayback,
  formatBytes,
  formatCount,
  formatMoney,
  formatPercent,
} from '../../sdk/src/figures.ts';
import type {
  MoveBreakdown,
  ChangeCandidate,
  CleanUpCandidate,
  DecisionContext,
  MoveCandidate,
  PricedBucket,
  PricedGroup,
} from './model.ts';
import type { Confidence } from './confidence.ts';
import { breakEvenMonths, totalOver } from './amounts.ts';
import { readsPerObject } from './reads.ts';

/** Why a move is recommended, in sentences with their figures. */
export function moveReasons(
  context: DecisionContext,
  candidate: MoveCandidate,
  { unpricedObjects }: MoveBreakdown,
): readonly string[] {
  const { configured, horizonMonths } = context;
  const { bucket, cost, move, savingsUsd } = candidate;
  const groups = candidate.parts.flatMap((part) => part.groups);
  const { monthly, quote, target } = move;
  const { provider, title } = target;
  const isConfigured = configured.some((store) => store.provider === provider);
  return [
    `${title} ${storesIt(bucket)} for ${formatMoney(monthly.none)} a month instead of ${formatMoney(cost.stay.none)}.`,
    `Moving costs ${formatMoney(quote.totalUsd)} once, ${formatMoney(quote.egressUsd)} of it egress; ${paidBack(quote.totalUsd, savingsUsd)}.`,
    totalReason(
      horizonMonths,
      totalOver(horizonMonths, monthly, quote.totalUsd).expected,
      totalOver(horizonMonths, cost.stay).expected,
    ),
    ...usageReasons(context, bucket, groups),
    ...(isConfigured ? [] : [`${title} has to be configured first.`]),
    ...(unpricedObjects > 0
      ? [`${formatCount(unpricedObjects, 'object')} of classes without a price sheet stay.`]
      : []),
  ];
}

/** Why a change of class is recommended. */
export function changeReasons(
  context: DecisionContext,
  { bucket, parts, cost, toClass, savingsUsd }: ChangeCandidate,
): readonly string[] {
  const { horizonMonths } = context;
  const { stay, changed, transitionUsd } = cost;
  return [
    `${toClass} ${storesIt(bucket)} for ${formatMoney(changed.none)} a month instead of ${formatMoney(stay.none)}, and it can be read at once.`,
    `The change costs ${formatMoney(transitionUsd)} once, ${paidBack(transitionUsd, savingsUsd)}.`,
    totalReason(
      horizonMonths,
      totalOver(horizonMonths, changed, transitionUsd).expected,
      totalOver(horizonMonths, stay).expected,
    ),
    ...usageReasons(
      context,
      bucket,
      parts.map(({ group }) => group),
    ),
  ];
}

/** The monthly costs have the reads that are certain. */
function storesIt({ reads }: PricedBucket): string {
  return reads.scenarios.none > 0 && reads.gets > 0
    ? 'stores it, half of its known reads included,'
    : 'stores it';
}

/** What is known of the reads of some objects, and of the customer's own prices. */
function usageReasons(
  { priceFactors }: DecisionContext,
  { reads, region: { region } }: PricedBucket,
  groups: readonly PricedGroup[],
): readonly string[] {
  const times = readsPerObject(reads, groups);
  const internet = reads.bytes > 0 ? reads.internetBytes / reads.bytes : 0;
  const discount = 1 - regionFactor(priceFactors, region);
  const source = { measured: 'measured', apportioned: 'by what is left of the bill', assumed: '' };
  const leaving =
    reads.bytes > 0
      ? `; ${formatPercent(internet)} of what is read leaves AWS to the internet`
      : '';
  return [
    ...(reads.source === 'assumed'
      ? []
      : [
          times > 0
            ? `Each object is read ${formatTimes(times)} a month, ${source[reads.source]}${leaving}.`
            : `None of its objects is read, ${source[reads.source]}.`,
        ]),
    ...(discount >= LEAST_DISCOUNT
      ? [
          `Your agreement takes ${formatPercent(discount)} off the bill of S3 in ${region}, which the figures have.`,
        ]
      : []),
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

/** A smaller one is rounding. */
export const LEAST_DISCOUNT = 0.0005;

const CHEAPEST_IN = [
  'in none of the three read scenarios, though it beats staying in each',
  'in one of the three read scenarios',
  'in two of the three read scenarios',
  'whether the objects are never read, read as expected, or read heavily',
] as const;

/** What a confidence rests on. */
export function confidenceReason(confidence: Confidence): string {
  const { scenarios, hasUncertainPrice, isLittleExplained } = confidence;
  return [
    `It is the cheapest answer ${CHEAPEST_IN[scenarios] ?? ''}`,
    ...(hasUncertainPrice ? ['a price that it depends on is uncertain'] : []),
    ...(isLittleExplained ? ['the bill has much storage that was not listed'] : []),
  ]
    .join('; ')
    .concat('.');
}

function paidBack(oneOffUsd: number, savingsUsd: number): string {
  return describePayback(breakEvenMonths(oneOffUsd, savingsUsd));
}

function totalReason(horizonMonths: number, placedUsd: number, stayUsd: number): string {
  return `Over ${formatCount(horizonMonths, 'month')} with the expected reads it costs ${formatMoney(placedUsd)}; staying costs ${formatMoney(stayUsd)}.`;
}
