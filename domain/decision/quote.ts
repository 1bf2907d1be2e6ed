import type { ProviderName } from '../catalogue.ts';
import type { PriceBook } from '../price-book.ts';
import { compareGroups, type Group } from '../inventory/inventory.ts';
import type { Quote } from './answer.ts';
import { shownQuote } from './rounding.ts';
import { regionRates, targetsFrom } from './tariff.ts';
import { beginWeighing, createWeighing, endWeighing, weigh } from './weighing.ts';
import type { Offer, Weighing } from './weighing.ts';

/** What moving the weighed objects to one target costs once, unrounded. */
export function moveQuote(weighing: Weighing, offer: Offer): Quote {
  const { egressUsd, sourceRequestsUsd, retrievalUsd, earlyDeletionUsd } = weighing;
  const { destinationRequestsUsd } = offer;
  return {
    egressUsd,
    sourceRequestsUsd,
    retrievalUsd,
    earlyDeletionUsd,
    destinationRequestsUsd,
    transitionUsd: 0,
    totalUsd: offer.totalUsd,
    totalWithExitWaiverUsd:
      sourceRequestsUsd + retrievalUsd + earlyDeletionUsd + destinationRequestsUsd,
  };
}

/** What a change of class costs once, unrounded. */
export function changeQuote(transitionUsd: number): Quote {
  return {
    egressUsd: 0,
    sourceRequestsUsd: 0,
    retrievalUsd: 0,
    earlyDeletionUsd: 0,
    destinationRequestsUsd: 0,
    transitionUsd,
    totalUsd: transitionUsd,
    totalWithExitWaiverUsd: transitionUsd,
  };
}

export interface QuoteQuestion {
  readonly priceBook: PriceBook;
  readonly source: ProviderName;
  /** The source's region. */
  readonly region: string;
  /** In any order; groups that may not move are left out. */
  readonly groups: readonly Group[];
  readonly target: ProviderName;
}

/**
 * What moving some objects costs once, rounded; null where the target is the source itself. Storage is
 * priced by the bytes asked about, not by a scan's blended rate: that moves `earlyDeletionUsd` alone,
 * and only where a class has bands.
 */
export function quoteMove(question: QuoteQuestion): Quote | null {
  const { priceBook, source, region, target } = question;
  const weighing = createWeighing(targetsFrom(priceBook, source));
  const offer = weighing.offers.find((other) => other.target.provider === target);
  if (!offer) return null;
  const rawBytes = new Map<string, number>();
  for (const { storageClass, bytes } of question.groups) {
    rawBytes.set(storageClass, (rawBytes.get(storageClass) ?? 0) + bytes);
  }
  const rates = regionRates(priceBook, source, region, rawBytes);
  beginWeighing(weighing);
  for (const group of question.groups.toSorted(compareGroups)) {
    const ofClass = rates.classes.get(group.storageClass);
    if (ofClass?.mayMove) weigh(weighing, ofClass, group.ageBand, group);
  }
  endWeighing(weighing, rates);
  return shownQuote(moveQuote(weighing, offer));
}
