import { formatBytes } from '../../shared/amounts.ts';
import type { PriceFactors } from '../bill/price-factors.ts';
import { expiresLater } from './left-alone-rules.ts';
import type { ChangeCandidate, DecisionContext, MoveCandidate } from './model.ts';
import type { Risk, RiskCode } from './types.ts';

/** What a person has to know before a move of some objects, beyond its figures. */
export function moveRisks(
  { catalogue, source, priceFactors }: DecisionContext,
  { bucket, parts, placements }: MoveCandidate,
): readonly Risk[] {
  const { inventory, isYoung, reads } = bucket;
  const title = catalogue.titleOf(source);
  const isInside = reads.insideBytes > 0 && reads.inside.inside > 0 && placements.total.objects > 0;
  const messages: readonly (readonly [RiskCode, boolean, string])[] = [
    [
      'young_bucket',
      isYoung,
      'The bucket is younger than 60 days: what arrives and what is deleted each month is not known yet.',
    ],
    [
      'expiry_not_carried',
      parts.some(({ prefix }) => expiresLater(inventory, prefix)),
      'A lifecycle rule deletes these objects some day. The copies do not expire by it: set a rule at the new store.',
    ],
    [
      'events',
      inventory.use.hasEvents,
      `The bucket sends notifications of new objects. The new store sends none until you set that up there.`,
    ],
    [
      'website',
      inventory.use.hasWebsite,
      `The bucket serves a website. Its addresses, index and error pages stay at ${title}.`,
    ],
    [
      'commitment',
      isDiscounted(priceFactors),
      `You pay less than the list price: if that is an agreement about what you spend, spending that leaves ${title} may be owed all the same.`,
    ],
    [
      'readers_inside',
      isInside,
      `The bill shows reads from machines in ${title}, up to ${formatBytes(reads.insideBytes)} a month of this bucket. After a move these leave the other store, through the internet or a NAT gateway.`,
    ],
  ];
  return messages.flatMap(([code, holds, message]) => (holds ? [{ code, message }] : []));
}

export function changeRisks({ parts }: ChangeCandidate): readonly Risk[] {
  if (!parts.some(({ change }) => change.to.sheet.archived)) return [];
  const message =
    'A restore from the new class takes up to 12 hours, in bulk up to 48, instead of minutes to hours.';
  return [{ code: 'restore_takes_longer', message }];
}

/** Whether a bill shows prices below the list. */
function isDiscounted({ own, ofRegions }: PriceFactors): boolean {
  return [...own, ...ofRegions].some(({ factor }) => factor < 1);
}
