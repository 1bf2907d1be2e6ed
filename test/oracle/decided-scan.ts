import type { BucketInventory } from '../../domain/inventory/inventory.ts';
import { oldVersionsOf, uploadsOf, type Answer } from './answers.ts';
import { Fraction } from './fraction.ts';
import { storage, type ScanBytes } from './storage.ts';

/** A scan with its recommendations. */
export interface DecidedScan {
  readonly scan: ScanBytes;
  readonly buckets: readonly BucketInventory[];
  /** In the order in which they are shown. */
  readonly recommended: readonly Answer[];
  readonly horizonMonths: number;
}

/** Storage and monitoring of everything in a bucket. */
export function currentOf(scan: ScanBytes, bucket: BucketInventory): Fraction {
  return Fraction.sum([
    ...bucket.groups.map((group) => storage(scan, bucket.region, group).usd),
    oldVersionsOf(scan, bucket).kept.usd,
    uploadsOf(scan, bucket).kept.usd,
  ]);
}
