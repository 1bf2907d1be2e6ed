import type { PricedBucket } from './bucket.ts';
import { addMonthly, storageUsd, type ClassRates, type Scenarios, type Step } from './rates.ts';
import { BAND_COUNT, type Cells } from './table.ts';
import { add, emptySum, setLarge, type Sum } from './tally.ts';
import { noMoney } from './weighing.ts';

/** Which objects change their class: of one class, of a prefix or all, of consecutive age bands. */
export interface Change {
  /** By index; -1 is the whole bucket. */
  readonly prefix: number;
  readonly storageClass: number;
  readonly firstBand: number;
  readonly lastBand: number;
  readonly to: ClassRates;
}

/** What a change is about and what it costs, unrounded, reckoned on all its objects together. */
export interface ChangeCosts {
  readonly held: Sum;
  readonly stay: Scenarios;
  readonly placed: Scenarios;
  readonly transitionUsd: number;
}

export function costsOfChange(bucket: PricedBucket, change: Change): ChangeCosts {
  const held = emptySum();
  const stay = noMoney();
  const placed = noMoney();
  const large = emptySum();
  let transitionUsdPerObject = 0;
  const from = firstCell(bucket, change);
  const cells = cellsOf(bucket, change.prefix);
  for (let band = change.firstBand; band <= change.lastBand; band += 1) {
    const tally = cells[from + band];
    const rates = bucket.rates[change.storageClass]?.bands[band];
    const step = stepTo(bucket, change, band);
    if (!tally || !rates || !step) continue;
    setLarge(large, tally);
    add(held, large);
    addMonthly(stay, rates, large);
    addMonthly(placed, step.band, large);
    transitionUsdPerObject = step.transitionUsd;
  }
  return { held, stay, placed, transitionUsd: held.objects * transitionUsdPerObject };
}

/** The step of a change in one of its age bands. */
export function stepTo(bucket: PricedBucket, change: Change, band: number): Step | undefined {
  const steps = bucket.rates[change.storageClass]?.bands[band]?.steps;
  return steps?.find(({ to }) => to === change.to);
}

function firstCell({ table }: PricedBucket, { prefix, storageClass }: Change): number {
  return Math.max(0, prefix) * table.stride + storageClass * BAND_COUNT;
}

function cellsOf({ table }: PricedBucket, prefix: number): Cells {
  return prefix < 0 ? table.whole : table.cells;
}

/** What a class of a bucket stores, in USD per month, over all age bands. */
export function classStorageUsd(bucket: PricedBucket, storageClass: number): number {
  let usd = 0;
  for (let band = 0; band < BAND_COUNT; band += 1) {
    const tally = bucket.table.whole[storageClass * BAND_COUNT + band];
    const rates = bucket.rates[storageClass]?.bands[band];
    if (tally && rates) usd += storageUsd(rates, tally);
  }
  return usd;
}
