import type { ContentKind } from './bands.ts';
import { compareKeys } from './key-order.ts';

/** Objects and their bytes. */
export interface Count {
  readonly objects: number;
  readonly bytes: number;
}

/** What the price of some objects of one storage class depends on. */
export interface ObjectStatistics extends Count {
  /** Of these, the ones below `SMALL_OBJECT_BYTES`. */
  readonly smallObjects: number;
  readonly smallBytes: number;
  /** Requests to write the ones above `PART_BYTES`: Σ (ceil(size / part) + 1). */
  readonly partRequests: number;
}

/** The current objects of one prefix, storage class and age band of a bucket. */
export interface Group extends ObjectStatistics {
  /** The first segment with its `/`, or `REST_PREFIX`. */
  readonly prefix: string;
  /** As the store names it. */
  readonly storageClass: string;
  /** Index into `AGE_BANDS`. */
  readonly ageBand: number;
}

/** By prefix, class and age: one order, whatever order they came in. */
export function compareGroups(a: Group, b: Group): number {
  return (
    compareKeys(a.prefix, b.prefix) ||
    compareKeys(a.storageClass, b.storageClass) ||
    a.ageBand - b.ageBand
  );
}

/** Versions that are not the current ones, of one storage class. */
export interface OldVersions extends ObjectStatistics {
  readonly storageClass: string;
}

/** Multipart uploads that were never finished; their parts are billed as STANDARD. */
export interface IncompleteUploads {
  readonly uploads: number;
  readonly bytes: number;
  readonly oldestAt: Date | null;
}

/**
 * Whether a bucket's lifecycle rules abort incomplete uploads: `none` has no rule at all, `unknown`
 * may not be read.
 */
export type Lifecycle = 'none' | 'without_abort' | 'with_abort' | 'unknown';

/** A read that the role may not make, and what the scan therefore does not know. */
export interface CoverageGap {
  /** The permission, as `s3:GetBucketVersioning`. */
  readonly missing: string;
  readonly effect: string;
}

/** Why a bucket could not be read; `code` is one of the closed set of codes. */
export interface BucketError {
  readonly code: string;
  readonly message: string;
}

/** Everything that a scan knows about one bucket. The figures of a bucket in error are of what was read. */
export interface BucketInventory {
  readonly name: string;
  readonly region: string;
  /** Each combination at most once, in any order; empty ones left out. */
  readonly groups: readonly Group[];
  /**
   * What running and completed migrations have copied from here and is here still, told apart in the
   * same way; empty without migrations.
   */
  readonly copied: readonly Group[];
  /** By index into `SIZE_BANDS`. */
  readonly bySize: readonly Count[];
  readonly byContent: readonly (Count & { readonly kind: ContentKind })[];
  readonly oldVersions: readonly OldVersions[];
  readonly deleteMarkers: number;
  readonly incompleteUploads: IncompleteUploads;
  readonly lifecycle: Lifecycle;
  readonly coverage: readonly CoverageGap[];
  readonly error: BucketError | null;
}
