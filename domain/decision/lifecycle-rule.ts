import { createHash } from 'node:crypto';

/** A rule of a bucket's lifecycle configuration, in the names of the S3 API. */
export interface LifecycleRule {
  readonly ID: string;
  readonly Status: 'Enabled';
  readonly Filter: LifecycleFilter;
  readonly Transitions?: readonly [{ readonly Days: number; readonly StorageClass: string }];
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

/** The objects that a rule applies to, and what it does with them. */
type RuleBody = Omit<LifecycleRule, 'ID' | 'Status'>;

const WHOLE_BUCKET = { Prefix: '' };
/** The period of AWS's own recommendation: uploads that still run are younger. */
export const ABORT_AFTER_DAYS = 7;
/** For this long a deleted or overwritten object can be brought back. */
export const KEEP_OLD_VERSIONS_DAYS = 30;

/** Aborts the unfinished uploads of a bucket. */
export function abortUploadsRule(): LifecycleRule {
  return rule('abort-incomplete-uploads', {
    Filter: WHOLE_BUCKET,
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: ABORT_AFTER_DAYS },
  });
}

/** Deletes the old versions of a bucket, and delete markers that hide nothing any more. */
export function expireVersionsRule(): LifecycleRule {
  return rule('expire-old-versions', {
    Filter: WHOLE_BUCKET,
    Expiration: { ExpiredObjectDeleteMarker: true },
    NoncurrentVersionExpiration: { NoncurrentDays: KEEP_OLD_VERSIONS_DAYS },
  });
}

/** The current objects that a change of class applies to. */
export interface ChangedObjects {
  /** Null for the whole bucket. */
  readonly prefix: string | null;
  readonly minSizeBytes: number;
  readonly minAgeDays: number;
  /** Null where the other conditions select no other object. */
  readonly tag: ObjectTag | null;
}

/** Changes the class of some objects once they have reached their age. */
export function changeClassRule(objects: ChangedObjects, toClass: string): LifecycleRule {
  const { prefix, minSizeBytes, minAgeDays, tag } = objects;
  const conditions = {
    ...(prefix === null ? {} : { Prefix: prefix }),
    // The API's bound is exclusive.
    ObjectSizeGreaterThan: minSizeBytes - 1,
    ...(tag === null ? {} : { Tags: [tag] }),
  };
  return rule('change-class', {
    Filter: Object.keys(conditions).length === 1 ? conditions : { And: conditions },
    Transitions: [{ Days: minAgeDays, StorageClass: toClass }],
  });
}

/** Its id follows from its content: a rule with that id is this rule. */
function rule(name: string, body: RuleBody): LifecycleRule {
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 12);
  return { ID: `storage-routing-${name}-${hash}`, Status: 'Enabled', ...body };
}
