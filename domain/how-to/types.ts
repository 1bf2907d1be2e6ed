import type { CleanUpKind } from '../../shared/recommendations.ts';
import type { AgeBandIndex } from '../inventory/bands.ts';
import type { BucketInventory } from '../inventory/inventory.ts';
import type { Catalogue, ProviderName, StoreLocation } from '../providers/catalogue.ts';

/** How to carry out what the service does not do itself: a change of class, a clean-up. */
export interface HowTo {
  readonly summary: string;
  /** The rule that the commands add to the bucket's lifecycle configuration. */
  readonly lifecycleRule: LifecycleRule | null;
  /** For bash, in this order; each can be pasted as it is. */
  readonly commands: readonly string[];
  /** The whole configuration with the rule; null if the rules that are there are not known. */
  readonly terraform: string | null;
}

/** A rule of a bucket's lifecycle configuration, in the names of the S3 API. */
export interface LifecycleRule {
  readonly ID: string;
  readonly Status: 'Enabled';
  readonly Filter: LifecycleFilter;
  readonly Transitions?: readonly { readonly Days: number; readonly StorageClass: string }[];
  readonly Expiration?: { readonly ExpiredObjectDeleteMarker: true };
  readonly NoncurrentVersionExpiration?: { readonly NoncurrentDays: number };
  readonly AbortIncompleteMultipartUpload?: { readonly DaysAfterInitiation: number };
}

/** Several conditions have to stand within `And`. */
interface LifecycleFilter extends Conditions {
  readonly And?: Conditions & { readonly Tags?: readonly ObjectTag[] };
}

interface Conditions {
  readonly Prefix?: string;
  readonly ObjectSizeGreaterThan?: number;
}

export interface ObjectTag {
  readonly Key: string;
  readonly Value: string;
}

/** Whose buckets they are. */
export interface Source {
  readonly catalogue: Catalogue;
  readonly source: ProviderName;
  readonly configured: readonly Omit<StoreLocation, 'bucketName'>[];
}

export interface HeldBucket {
  readonly inventory: BucketInventory;
}

/** A change of class of the larger objects of one class and of some age bands. */
export interface ClassChange {
  readonly bucket: HeldBucket;
  /** Null for the whole bucket. */
  readonly prefix: string | null;
  readonly fromClass: string;
  readonly toClass: string;
  readonly firstBand: AgeBandIndex;
  readonly lastBand: AgeBandIndex;
  readonly objects: number;
}

export interface CleanUp {
  readonly kind: CleanUpKind;
  readonly bucket: HeldBucket;
}
