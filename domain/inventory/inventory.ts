import type { UploadKeys } from '../common/file-keys.ts';
import type { ContentKind, AgeBandIndex } from './bands.ts';
import { compareKeys } from './key-order.ts';
import type { BucketLifecycle } from './lifecycle.ts';
import type { NestedKeys } from './nested-keys.ts';

export interface Count {
  readonly objects: number;
  readonly bytes: number;
}

/** Object statistics: everything that the price of some objects of one storage class depends on. */
export interface ObjectStatistics extends Count {
  /** The objects below `SMALL_OBJECT_BYTES` among them. */
  readonly smallObjects: number;
  readonly smallBytes: number;
  /** Requests to write the objects above `PART_BYTES`: Σ (ceil(size / part) + 1). */
  readonly partRequests: number;
  /** For each size limit that some of the objects exceed, smallest first; absent if none does. */
  readonly oversized?: readonly OversizedCount[];
  /** The objects whose key at the target would be too long; absent if there is none. */
  readonly longKeys?: number;
  /** By minimum billable size that some objects are below, smallest first; absent if none is. */
  readonly undersized?: readonly UndersizedCount[];
}

/** The objects below a minimum billable size of a store. */
export interface UndersizedCount extends Count {
  readonly minBytes: number;
}

/** The objects above a store's size limit. */
export interface OversizedCount {
  readonly limitBytes: number;
  readonly objects: number;
}

/** The current objects of one prefix, storage class and age band of a bucket. */
export interface Group extends ObjectStatistics {
  /** The first segment with its `/`, or `REST_PREFIX`. */
  readonly prefix: string;
  /** As the store names it. */
  readonly storageClass: string;
  readonly ageBand: AgeBandIndex;
}

export function compareGroups(a: Group, b: Group): number {
  return (
    compareKeys(a.prefix, b.prefix) ||
    compareKeys(a.storageClass, b.storageClass) ||
    a.ageBand - b.ageBand
  );
}

/** The old versions of one class and age band of a bucket, by whether they may be deleted. */
export interface OldVersions extends ObjectStatistics {
  readonly storageClass: string;
  /** By their own LastModified. */
  readonly ageBand: AgeBandIndex;
  /** Noncurrent for `DELETABLE_AFTER_DAYS` or more, and no rule of the bucket expires them. */
  readonly isDeletable: boolean;
}

/** Multipart uploads without completion; their parts are billed as STANDARD. */
export interface IncompleteUploads {
  readonly uploads: number;
  readonly bytes: number;
  readonly oldestAt: Date | null;
  /** Those begun `ABORTABLE_AFTER_DAYS` ago or earlier that no rule of the bucket aborts. */
  readonly abortable: { readonly uploads: number; readonly bytes: number };
}

/** An enabled rule of the bucket that deletes current objects some days after they were written. */
export interface Expiration {
  /** Empty: of all keys. */
  readonly prefix: string;
  /** At least 0. A rule with a date: the days from the scan's start to it, with their fraction. */
  readonly days: number;
  /** It has other conditions besides: a tag, a size. */
  readonly isConditional: boolean;
}

/** What a bucket's settings say of its use; one that could not be read counts as absent. */
export interface BucketUse {
  /** Its tag `storage-routing` has the value `keep`. */
  readonly isKept: boolean;
  /** Object Lock is enabled. */
  readonly isLocked: boolean;
  /** It has an enabled replication rule. */
  readonly isReplicated: boolean;
  /** It notifies functions, queues, topics or EventBridge. */
  readonly hasEvents: boolean;
  readonly hasWebsite: boolean;
}

export const NO_USE: BucketUse = {
  isKept: false,
  isLocked: false,
  isReplicated: false,
  hasEvents: false,
  hasWebsite: false,
};

/** Why a prefix is left alone, by patterns of its keys (`data/left-alone.json`). */
export const KEY_MARKS = ['aws_logs', 'state', 'table'] as const;
export type KeyMark = (typeof KEY_MARKS)[number];

/**
 * Whether a bucket's lifecycle rules abort incomplete uploads: `none` has no rule at all, `unknown`
 * means that the role may not read them.
 */
export type Lifecycle = 'none' | 'without_abort' | 'with_abort' | 'unknown';

/** A read that the role may not make, and its effect on the scan. */
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

/** A scan's result for one bucket; if it has an error, for the part that was read. */
/** What a completed migration was to move out of a bucket. */
export interface MovedSelector {
  readonly migrationId: string;
  /** Null: the whole bucket. */
  readonly prefix: string | null;
}

export interface BucketInventory {
  readonly name: string;
  readonly region: string;
  /** Each combination at most once, in any order; empty ones left out. */
  readonly groups: readonly Group[];
  /** Whether replaced versions may be held; null: the role may not read it. */
  readonly keepsVersions: boolean | null;
  /**
   * The objects that running and completed migrations have copied and the bucket still holds, in
   * the same groups; empty without migrations.
   */
  readonly copied: readonly Group[];
  /** What completed migrations were to move out of the bucket, in any order. Absent: none. */
  readonly moved?: readonly MovedSelector[];
  /** The prefixes of moves approved after the scan; null: the whole bucket. Absent: none. */
  readonly approved?: readonly (string | null)[];
  /** By index into `SIZE_BANDS`. */
  readonly bySize: readonly Count[];
  readonly byContent: readonly (Count & { readonly kind: ContentKind })[];
  readonly oldVersions: readonly OldVersions[];
  readonly deleteMarkers: number;
  readonly incompleteUploads: IncompleteUploads;
  /** The keys of current objects, old versions and incomplete uploads. Absent: `none`. */
  readonly uploadKeys?: UploadKeys;
  /** For the whole bucket (null), and below keys of the same prefix. Absent, or no entry: none. */
  readonly nestedKeys?: readonly (NestedKeys & { readonly prefix: string | null })[];
  /** What is below `UPLOADS_PREFIX` are files of this service. Absent: it is the customer's own. */
  readonly isRouted?: true;
  /** When the bucket was created; null if the listing of buckets does not say it. */
  readonly createdAt: Date | null;
  /** The earliest LastModified of a current object or old version; null if there is none. */
  readonly oldestAt: Date | null;
  readonly use: BucketUse;
  /**
   * Those of prefixes with groups of their own and of `REST_PREFIX`; no entry where there are none.
   */
  readonly marks: readonly { readonly prefix: string; readonly marks: readonly KeyMark[] }[];
  /** None where the role may not read the rules. */
  readonly expirations: readonly Expiration[];
  readonly lifecycle: Lifecycle;
  /** Absent if the role may not read them, or if there are too many to keep. */
  readonly rules?: BucketLifecycle;
  readonly coverage: readonly CoverageGap[];
  readonly error: BucketError | null;
}
