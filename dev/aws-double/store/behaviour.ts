import type { AwsErrorCode } from '../wire/errors.ts';
import { isRegion } from '../wire/request.ts';

/** `refused`: 501 `NotImplemented`. `ignored`: the request succeeds as without the condition. */
type Conditions = 'honoured' | 'refused' | 'ignored';

/** The ways in which a store with an S3 interface differs from S3. What is left out is as at S3. */
export interface StoreBehaviour {
  /** The one region of all buckets; null: each bucket has its own. */
  readonly region?: string | null;
  /** Further names that a signature may give in place of {@link region}. */
  readonly otherRegions?: readonly string[] | 'any';
  /** The code for any other name; null: that of S3. */
  readonly regionError?: AwsErrorCode | null;
  /**
   * `never`: no `Status` in GetBucketVersioning, 501 to ListObjectVersions. `always`: all buckets are
   * `Enabled`, so that a DELETE without version id hides. Both: 501 to PutBucketVersioning.
   */
  readonly versions?: 'by_bucket' | 'never' | 'always';
  /** `If-None-Match` and `If-Match` of PutObject, CopyObject and CompleteMultipartUpload. */
  readonly conditionalPut?: Conditions;
  /** `If-Match` of DeleteObject, and the ETags of DeleteObjects. */
  readonly conditionalDelete?: Conditions;
  /** `ignored`: a body of another MD5 is stored. */
  readonly contentMd5?: 'checked' | 'ignored';
  /** `one`: refuses `k` where there is `k/x`, and `k/x` where there is `k`, as a store on files does. */
  readonly keyAndFolder?: 'both' | 'one';
  /** The most entries of user metadata; 400 `InvalidArgument` to more. */
  readonly metadataEntries?: number;
  /** `equal`: all parts of an object have one size, and the last is no larger. */
  readonly partSizes?: 'free' | 'equal';
  /**
   * `unsorted`: in the order of the keys' ciphertext, folder by folder, which also decides what comes
   * after `start-after`; 501 to a prefix or delimiter that does not end with a slash.
   */
  readonly listOrder?: 'utf8' | 'unsorted';
  /** `by_key`: ListMultipartUploads takes its prefix as a whole key. */
  readonly listUploads?: 'by_prefix' | 'by_key';
  /** `whole`: one page with names and dates only. */
  readonly listBuckets?: 'paged' | 'whole';
  /** What a new bucket has, by sub-resource. */
  readonly newBucketSettings?: Readonly<Record<string, string>>;
  /** Names of operations, as in `s3/operations.ts`, that answer 501 `NotImplemented`. */
  readonly unsupported?: readonly string[];
  /** Headers of requests about objects, by how their names begin; with the code of the refusal. */
  readonly refusedHeaders?: readonly string[];
  /** Query parameters of all requests. */
  readonly refusedParameters?: readonly string[];
  readonly refusal?: 'NotImplemented' | 'InvalidArgument';
}

/** A behaviour with all its settings. */
export type Behaviour = Required<StoreBehaviour>;

/** S3 itself. */
export const S3_BEHAVIOUR: Behaviour = {
  region: null,
  otherRegions: [],
  regionError: null,
  versions: 'by_bucket',
  conditionalPut: 'honoured',
  conditionalDelete: 'honoured',
  contentMd5: 'checked',
  keyAndFolder: 'both',
  metadataEntries: Number.POSITIVE_INFINITY,
  partSizes: 'free',
  listOrder: 'utf8',
  listUploads: 'by_prefix',
  listBuckets: 'paged',
  newBucketSettings: {},
  unsupported: [],
  refusedHeaders: [],
  refusedParameters: [],
  refusal: 'NotImplemented',
};

/** The region that a name stands for; null for a name that the store refuses. */
export function resolveRegion({ region, otherRegions }: Behaviour, name: string): string | null {
  if (region === null) return isRegion(name) ? name : null;
  const isTaken = name === region || otherRegions === 'any' || otherRegions.includes(name);
  return isTaken ? region : null;
}

/** Says whether the store has an operation. */
export function hasOperation({ versions, unsupported }: Behaviour, name: string): boolean {
  if (name === 'PutBucketVersioning' && versions !== 'by_bucket') return false;
  if (name === 'ListObjectVersions' && versions === 'never') return false;
  return !unsupported.includes(name);
}
