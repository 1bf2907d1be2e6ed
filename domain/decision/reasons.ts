import { formatTimes } from '../common/format.ts';
import { regionFactor } from '../bill/price-factors.ts';
import {
  describePayback,
  formatBytes,
  formatCount,
  formatMoney,
  formatPercent,
} from '../../shared/amounts.ts';
import type {
  MoveBreakdown,
  ChangeCandidate,
  CleanUpCandidate,
  DecisionContext,
  MoveCandidate,
  PricedBucket,
  PricedObjects,
} from './model.ts';
import type { Confidence } from './confidence.ts';
import { taggingRequestsUsd } from '../how-to/how-to.ts';
import { classTitle } from '../../shared/storage-classes.ts';
import { breakEvenMonths } from './amounts.ts';
import { isTiered } from './storage-rates.ts';
import { expectedReads, totalOver } from './costs.ts';

/** Why a move is recommended, in sentences with their figures. */
export function moveReasons(
  context: DecisionContext,
  candidate: MoveCandidate,
  { unpricedObjects }: MoveBreakdown,
): readonly string[] {
  const { configured, horizonMonths } = context;
  const { bucket, placements, move, savingsUsd } = candidate;
  const { stay, arrivals, objects } = placements;
  const { quote, target } = move;
  const { provider, title } = target;
  const isConfigured = configured.some((store) => store.provider === provider);
  return [
    `${title} ${storesIt(bucket)} for ${formatMoney(move.shownUsd)} a month instead of ${formatMoney(stay.shownUsd)}.`,
    `Moving costs ${formatMoney(quote.totalUsd)} once, ${formatMoney(quote.egressUsd)} of it egress; ${paidBack(quote.totalUsd, savingsUsd)}.`,
    totalReason(
      horizonMonths,
      totalOver(horizonMonths, move).expected,
      totalOver(horizonMonths, stay).expected,
    ),
    ...(arrivals.objects > 0
      ? [
          `Each month ${formatCount(arrivals.objects, 'object')} (${formatBytes(arrivals.bytes)}) arrive here: the figures assume that what writes them writes to ${title} after the move.`,
        ]
      : []),
    ...usageReasons(context, bucket, objects),
    ...(isConfigured ? [] : [`${title} has to be configured first.`]),
    ...(unpricedObjects > 0
      ? [`${formatCount(unpricedObjects, 'object')} of classes without a price sheet stay.`]
      : []),
  ];
}

/** Why a change of class is recommended. */
export function changeReasons(
  context: DecisionContext,
  candidate: ChangeCandidate,
  recommended: readonly ChangeCandidate[],
): readonly string[] {
  const { bucket, parts, stay, changed, toClass, savingsUsd } = candidate;
  const { horizonMonths } = context;
  const [part] = parts;
  const isArchive = part?.change.to.sheet.archived ?? false;
  const hasTiers = part !== undefined && isTiered(part.change.to.sheet);
  const flowUsd = parts.reduce((sum, each) => sum + each.flowUsd, 0);
  return [
    `${classTitle(context.source, toClass)} ${storesIt(bucket)} for ${formatMoney(changed.shownUsd)} a month instead of ${formatMoney(stay.shownUsd)}${isArchive ? '' : ', and it can be read at once'}.`,
    ...(hasTiers ? ['Its tiers depend on future reads: only half of its saving is promised.'] : []),
    `The change costs ${formatMoney(changed.oneOffUsd)} once, ${paidBack(changed.oneOffUsd, savingsUsd)}.`,
    ...taggingReason(candidate, recommended),
    ...(flowUsd > 0
      ? ['What reaches that age later is changed too; the monthly cost contains it.']
      : []),
    totalReason(
      horizonMonths,
      totalOver(horizonMonths, changed).expected,
      totalOver(horizonMonths, stay).expected,
    ),
    ...usageReasons(
      context,
      bucket,
      parts.map(({ group }) => group),
    ),
  ];
}

/** What the commands cost that tag the objects; the rules of the quote do not count it. */
function taggingReason(
  candidate: ChangeCandidate,
  recommended: readonly ChangeCandidate[],
): readonly string[] {
  const { base, classes, listingUsd } = candidate.bucket.region;
  const { sheet } = classes.get(candidate.fromClass) ?? base;
  const prices = { putUsd: sheet.put.value, getUsd: sheet.get.value, listUsd: listingUsd };
  const usd = taggingRequestsUsd(candidate, recommended, prices);
  return usd > 0
    ? [`The objects have to be tagged first: the requests cost ${formatMoney(usd)} besides.`]
    : [];
}

/** The monthly costs have the reads that are known. */
function storesIt({ reads }: PricedBucket): string {
  return reads.source === 'assumed' ? 'stores it' : 'stores it, its known reads included,';
}

/** What is known of the reads of some objects, and of the customer's own prices. */
function usageReasons(
  { priceFactors }: DecisionContext,
  bucket: PricedBucket,
  objects: readonly PricedObjects[],
): readonly string[] {
  const { reads, region } = bucket;
  const discount = 1 - regionFactor(priceFactors, region.region);
  return [
    ...(reads.source === 'assumed' ? [] : [knownReads(bucket, objects)]),
    ...(discount >= LEAST_DISCOUNT
      ? [
          `Your agreement takes ${formatPercent(discount)} off the bill of S3 in ${region.region}, which the figures have.`,
        ]
      : []),
  ];
}

function knownReads(bucket: PricedBucket, objects: readonly PricedObjects[]): string {
  const { source, internet } = bucket.reads;
  const basis = source === 'measured' ? 'measured' : 'by what is left of the bill';
  const { requests, bytes } = expectedReads(bucket, objects);
  if (requests === 0 && bytes === 0) return `None of its objects is read, ${basis}.`;
  const leaving =
    bytes > 0 ? `; ${formatPercent(internet.expected)} of what is read leaves to the internet` : '';
  return `Each object is read ${formatTimes(requests)} a month, ${basis}${leaving}.`;
}

/** Why a clean-up is recommended. */
export function cleanUpReasons(candidate: CleanUpCandidate): readonly string[] {
  const { objects, bytes, savingsUsd, oneOffUsd } = candidate;
  switch (candidate.kind) {
    case 'abort_multipart_uploads':
      return [
        `The parts of ${formatCount(objects, 'unfinished upload')} (${formatBytes(bytes)}) cost ${formatMoney(savingsUsd)} a month and are not a readable object. They are a week old or older, and no rule aborts them.`,
      ];
    case 'expire_old_versions':
      return [
        `${formatCount(objects, 'old version')} (${formatBytes(bytes)}) cost ${formatMoney(savingsUsd)} a month. They were replaced a month ago or earlier, and no rule expires them.`,
        ...(oneOffUsd > 0
          ? [
              `Deleting them now costs ${formatMoney(oneOffUsd)} once: the least time of their class.`,
            ]
          : []),
      ];
  }
}

/** A smaller one is rounding. */
export const LEAST_DISCOUNT = 0.0005;

const CHEAPEST_IN = [
  'in none of the four scenarios, though it beats staying in each that is asked',
  'in one of the four scenarios',
  'in two of the four scenarios',
  'in three of the four scenarios',
  'in all four scenarios',
] as const;

/** What a confidence rests on. */
export function confidenceReason(confidence: Confidence): string {
  const { scenarios, hasUncertainPrice, isLittleExplained, isShared } = confidence;
  return [
    `It is the cheapest answer ${CHEAPEST_IN[scenarios] ?? ''}`,
    ...(hasUncertainPrice ? ['a price that it depends on is uncertain'] : []),
    ...(isLittleExplained ? ['the bill has much storage that was not listed'] : []),
    ...(isShared ? ['the bill does not say which of several buckets is read'] : []),
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
