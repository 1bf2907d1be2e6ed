import type { Count, Group, Tally } from '../inventory/inventory.ts';
import type { CleanUpAnswer } from './answers.ts';
import type { PricedBucket } from './bucket.ts';
import { compareKeys } from '../inventory/key-order.ts';
import { addMonthly, storageUsd, type BandRates, type Scenarios } from './rates.ts';
import { BAND_COUNT } from './table.ts';
import { emptySum } from './tally.ts';
import type { RegionRates } from './tariff.ts';
import { noMoney } from './weighing.ts';

/** What a bucket holds and costs per month, unrounded. */
export interface Stock {
  /** Current objects, reads included. */
  readonly current: Scenarios;
  readonly oldVersions: Count & { readonly storageUsd: number };
  readonly incompleteUploads: Count & { readonly storageUsd: number };
  /** Of the current objects, those that a migration has copied. */
  readonly copied: Count & { readonly storageUsd: number };
}

export function stockOf(bucket: PricedBucket): Stock {
  const current = noMoney();
  for (const [at, tally] of bucket.table.whole.entries()) {
    const rates = bucket.rates[(at / BAND_COUNT) | 0]?.bands[at % BAND_COUNT];
    if (tally && rates) addMonthly(current, rates, tally);
  }
  const old = { objects: 0, bytes: 0, storageUsd: 0 };
  for (const { rates, tally } of oldVersionsOf(bucket)) {
    old.objects += tally.objects;
    old.bytes += tally.bytes;
    old.storageUsd += storageUsd(rates, tally);
  }
  const { uploads: objects, bytes } = bucket.table.bucket.incompleteUploads;
  const parts = partsOf(bucket);
  return {
    current,
    oldVersions: old,
    incompleteUploads: { objects, bytes, storageUsd: storageUsd(parts.rates, parts.tally) },
    copied: copiedOf(bucket),
  };
}

function copiedOf({ table, region }: PricedBucket): Stock['copied'] {
  const { copied } = table;
  return {
    objects: copied.reduce((sum, { objects }) => sum + objects, 0),
    bytes: copied.reduce((sum, { bytes }) => sum + bytes, 0),
    storageUsd: storageOfGroups(region, copied),
  };
}

/** USD per month for storage and monitoring of some groups, in their order, unrounded. */
export function storageOfGroups({ classes, base }: RegionRates, groups: readonly Group[]): number {
  let usd = 0;
  for (const group of groups) {
    const rates = (classes.get(group.storageClass) ?? base).bands[group.ageBand];
    if (rates) usd += storageUsd(rates, group);
  }
  return usd;
}

/** What migrations have copied, over all buckets. */
export function copiedStock(stocks: readonly Stock[]): Stock['copied'] {
  const sum = { objects: 0, bytes: 0, storageUsd: 0 };
  for (const { copied } of stocks) {
    sum.objects += copied.objects;
    sum.bytes += copied.bytes;
    sum.storageUsd += copied.storageUsd;
  }
  return sum;
}

/** USD per month for storage and monitoring: what the bill shows. */
export function storedUsd({ current, oldVersions, incompleteUploads }: Stock): number {
  return current.none + oldVersions.storageUsd + incompleteUploads.storageUsd;
}

export interface Priced {
  readonly rates: BandRates;
  readonly tally: Tally;
}

/** Old versions are priced as the youngest. */
export function oldVersionsOf({ table, region }: PricedBucket): readonly Priced[] {
  return table.bucket.oldVersions
    .toSorted((a, b) => compareKeys(a.storageClass, b.storageClass))
    .flatMap((tally) => {
      const rates = region.classes.get(tally.storageClass)?.bands[0];
      return rates ? [{ rates, tally }] : [];
    });
}

/** The parts of incomplete uploads, as the base class prices them. */
export function partsOf({ table, region }: PricedBucket): Priced {
  const [rates] = region.base.bands;
  if (!rates) throw new Error(`no rates for ${region.base.storageClass}`);
  return { rates, tally: { ...emptySum(), bytes: table.bucket.incompleteUploads.bytes } };
}

/** Deleting what nobody reads any more. */
export function cleanUpsOf(bucket: PricedBucket, stock: Stock): readonly CleanUpAnswer[] {
  const answer = (
    kind: CleanUpAnswer['kind'],
    { objects, bytes, storageUsd }: Stock['oldVersions'],
  ): CleanUpAnswer => ({ kind, bucket, objects, bytes, savingsUsd: storageUsd });
  return [
    answer('abort_multipart_uploads', stock.incompleteUploads),
    answer('expire_old_versions', stock.oldVersions),
  ];
}
