/** The lifecycle configuration of a bucket, in the names of the S3 API. */

export interface LifecycleConditions {
  readonly Prefix?: string;
  readonly ObjectSizeGreaterThan?: number;
  readonly ObjectSizeLessThan?: number;
}

export interface LifecycleTag {
  readonly Key: string;
  readonly Value: string;
}

/** Several conditions stand within `And`. */
export interface LifecycleFilter extends LifecycleConditions {
  readonly Tag?: LifecycleTag;
  readonly And?: LifecycleConditions & { readonly Tags?: readonly LifecycleTag[] };
}

/** Times are in the form of `toISOString()`. */
interface Transition {
  readonly Days?: number;
  readonly Date?: string;
  readonly StorageClass: string;
}

interface NoncurrentRule {
  readonly NoncurrentDays?: number;
  readonly NewerNoncurrentVersions?: number;
}

export interface StoredLifecycleRule {
  readonly ID?: string;
  readonly Status: string;
  readonly Filter?: LifecycleFilter;
  /** The older form of a filter. */
  readonly Prefix?: string;
  readonly Expiration?: {
    readonly Days?: number;
    readonly Date?: string;
    readonly ExpiredObjectDeleteMarker?: boolean;
  };
  readonly Transitions?: readonly Transition[];
  readonly NoncurrentVersionExpiration?: NoncurrentRule;
  readonly NoncurrentVersionTransitions?: readonly (NoncurrentRule & {
    readonly StorageClass: string;
  })[];
  readonly AbortIncompleteMultipartUpload?: { readonly DaysAfterInitiation?: number };
}

export interface BucketLifecycle {
  readonly rules: readonly StoredLifecycleRule[];
  /** The smallest object that transitions change, as S3 names it. */
  readonly transitionMinimum?: string;
}
