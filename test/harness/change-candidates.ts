import {
  AGE_BAND_FIRST_DAY,
  SMALL_OBJECT_BYTES,
  type AgeBandIndex,
} from '../../domain/inventory/bands.ts';
import type { BucketInventory, Group } from '../../domain/inventory/inventory.ts';
import type { ClassChange, HeldBucket } from '../../domain/how-to/types.ts';

/** Changes of class as they are recommended, for what carries them out: without a figure of money. */

interface Counted {
  readonly prefix: string;
  readonly storageClass: string;
  readonly ageDays: number;
  readonly size: number;
  readonly objects?: number;
}

/** One group for each of some objects that are alike. */
export function groupOf(counted: Counted): Group {
  const { prefix, storageClass, ageDays, size, objects = 1 } = counted;
  const small = size < SMALL_OBJECT_BYTES ? objects : 0;
  return {
    prefix,
    storageClass,
    ageBand: AGE_BAND_FIRST_DAY.findLastIndex((day) => day <= ageDays) as AgeBandIndex,
    objects,
    bytes: objects * size,
    smallObjects: small,
    smallBytes: small * size,
    partRequests: 0,
  };
}

export function bucketWith(
  groups: readonly Group[],
  more: Partial<BucketInventory> = {},
): HeldBucket {
  return { inventory: { name: 'bucket', region: 'us-east-1', groups, ...more } } as HeldBucket;
}

export type Change = readonly [
  prefix: string | null,
  from: string,
  to: string,
  ...bands: AgeBandIndex[],
];

/** Some changes of the objects of a bucket, each from the first to the last of its age bands. */
export function changeCandidates(
  bucket: HeldBucket,
  changes: readonly Change[],
): readonly ClassChange[] {
  return changes.map(([prefix, fromClass, toClass, ...bands]) => {
    const selected = bucket.inventory.groups.filter(
      (group) =>
        (prefix === null || group.prefix === prefix) &&
        group.storageClass === fromClass &&
        bands.includes(group.ageBand),
    );
    return {
      bucket,
      prefix,
      fromClass,
      toClass,
      firstBand: Math.min(...bands) as AgeBandIndex,
      lastBand: Math.max(...bands) as AgeBandIndex,
      objects: selected.reduce((sum, group) => sum + group.objects - group.smallObjects, 0),
    };
  });
}
