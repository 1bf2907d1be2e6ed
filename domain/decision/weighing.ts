import type { Tally } from '../inventory/inventory.ts';
import { BAND_COUNT } from './table.ts';
import { add, clear, emptySum, type Sum } from './tally.ts';
import { addMonthly, bandedUsd, type ClassRates, type Scenarios } from './rates.ts';
import type { RegionRates, Target } from './tariff.ts';

/** What a target asks for the objects that are being weighed. Unrounded. */
export interface Offer {
  readonly target: Target;
  /** USD per month there, reads included. */
  readonly monthly: Scenarios;
  destinationRequestsUsd: number;
  /** USD once. */
  totalUsd: number;
}

/**
 * Objects of one region that would leave together, and what staying and each target asks for them.
 * It is used again and again: no memory is taken per group.
 */
export interface Weighing {
  /** USD per month at the source, reads included. */
  readonly stay: Scenarios;
  readonly held: Sum;
  readonly byBand: readonly Sum[];
  egressUsd: number;
  sourceRequestsUsd: number;
  retrievalUsd: number;
  earlyDeletionUsd: number;
  /** In the catalogue's order. */
  readonly offers: readonly Offer[];
}

export function noMoney(): Scenarios {
  return { none: 0, expected: 0, heavy: 0 };
}

export function createWeighing(targets: readonly Target[]): Weighing {
  return {
    stay: noMoney(),
    held: emptySum(),
    byBand: Array.from({ length: BAND_COUNT }, emptySum),
    egressUsd: 0,
    sourceRequestsUsd: 0,
    retrievalUsd: 0,
    earlyDeletionUsd: 0,
    offers: targets.map((target) => ({
      target,
      monthly: noMoney(),
      destinationRequestsUsd: 0,
      totalUsd: 0,
    })),
  };
}

export function beginWeighing(weighing: Weighing): void {
  setMoney(weighing.stay, 0);
  clear(weighing.held);
  for (const sum of weighing.byBand) clear(sum);
  weighing.sourceRequestsUsd = 0;
  weighing.retrievalUsd = 0;
  weighing.earlyDeletionUsd = 0;
}

/** Adds the objects of one class and age band. */
export function weigh(weighing: Weighing, rates: ClassRates, band: number, tally: Tally): void {
  const ofBand = rates.bands[band];
  const sum = weighing.byBand[band];
  if (!ofBand || !sum) return;
  const storage = addMonthly(weighing.stay, ofBand, tally);
  weighing.sourceRequestsUsd += tally.objects * rates.getUsd;
  weighing.retrievalUsd += tally.bytes * rates.retrievalByteUsd;
  weighing.earlyDeletionUsd += storage * ofBand.earlyDeletionMonths;
  add(sum, tally);
}

/** Reckons what depends on all the objects together. */
export function endWeighing(weighing: Weighing, region: RegionRates): void {
  const { held, byBand } = weighing;
  for (const sum of byBand) add(held, sum);
  weighing.egressUsd = bandedUsd(region.egressPerGb, held.bytes / region.bytesPerGb);
  weighing.sourceRequestsUsd += Math.ceil(held.objects / 1000) * region.listingUsd;
  for (const offer of weighing.offers) {
    const { target, monthly } = offer;
    setMoney(monthly, 0);
    for (const [band, sum] of byBand.entries()) {
      const rates = target.rates.bands[band];
      if (rates && sum.objects > 0) addMonthly(monthly, rates, sum);
    }
    offer.destinationRequestsUsd = (held.objects + held.partRequests) * target.putUsd;
    offer.totalUsd = leavingUsd(weighing) + weighing.egressUsd + offer.destinationRequestsUsd;
  }
}

/** What the source asks once, but for egress. */
function leavingUsd(weighing: Weighing): number {
  return weighing.sourceRequestsUsd + weighing.retrievalUsd + weighing.earlyDeletionUsd;
}

function setMoney(money: Scenarios, usd: number): void {
  money.none = usd;
  money.expected = usd;
  money.heavy = usd;
}

/** USD per month that an answer is sure to save: the smaller of what it saves unread and as expected. */
export function savingsUsd(stay: Scenarios, placed: Scenarios): number {
  return Math.min(stay.none - placed.none, stay.expected - placed.expected);
}
