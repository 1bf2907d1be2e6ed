import type {
  BucketLifecycle,
  LifecycleFilter,
  StoredLifecycleRule,
} from '../inventory/lifecycle.ts';
import type { LifecycleRule } from './types.ts';

type Value = string | number | boolean | undefined;

/**
 * The lifecycle configuration of a bucket as Terraform's `aws_s3_bucket_lifecycle_configuration`:
 * the rules that are there and one more. The resource replaces the whole configuration, so it must
 * name all of them.
 *
 * https://registry.terraform.io/providers/hashicorp/aws/latest/docs/resources/s3_bucket_lifecycle_configuration
 */
export function terraformWith(
  bucket: string,
  present: BucketLifecycle,
  rule: LifecycleRule,
): string {
  const isThere = present.rules.some(({ ID }) => ID === rule.ID);
  const rules: readonly StoredLifecycleRule[] = isThere ? present.rules : [...present.rules, rule];
  return [
    '# Every rule of the bucket as of the audit, and the recommended one: this resource replaces what is there.',
    block(`resource "aws_s3_bucket_lifecycle_configuration" ${quote(resourceName(bucket))}`, [
      ...attributes({
        bucket,
        transition_default_minimum_object_size: present.transitionMinimum,
      }),
      ...rules.map(ruleBlock),
    ]),
  ].join('\n');
}

function ruleBlock(rule: StoredLifecycleRule): string {
  const { Expiration, NoncurrentVersionExpiration, AbortIncompleteMultipartUpload } = rule;
  return block('rule', [
    ...attributes({ id: rule.ID, status: rule.Status }),
    filterBlock(rule.Filter ?? (rule.Prefix === undefined ? {} : { Prefix: rule.Prefix })),
    ...(Expiration
      ? [
          block(
            'expiration',
            attributes({
              days: Expiration.Days,
              date: toSeconds(Expiration.Date),
              expired_object_delete_marker: Expiration.ExpiredObjectDeleteMarker,
            }),
          ),
        ]
      : []),
    ...(rule.Transitions ?? []).map(({ Days, Date: date, StorageClass }) =>
      block(
        'transition',
        attributes({ days: Days, date: toSeconds(date), storage_class: StorageClass }),
      ),
    ),
    ...(NoncurrentVersionExpiration
      ? [
          block(
            'noncurrent_version_expiration',
            attributes({
              noncurrent_days: NoncurrentVersionExpiration.NoncurrentDays,
              newer_noncurrent_versions: NoncurrentVersionExpiration.NewerNoncurrentVersions,
            }),
          ),
        ]
      : []),
    ...(rule.NoncurrentVersionTransitions ?? []).map((transition) =>
      block(
        'noncurrent_version_transition',
        attributes({
          noncurrent_days: transition.NoncurrentDays,
          newer_noncurrent_versions: transition.NewerNoncurrentVersions,
          storage_class: transition.StorageClass,
        }),
      ),
    ),
    ...(AbortIncompleteMultipartUpload
      ? [
          block(
            'abort_incomplete_multipart_upload',
            attributes({
              days_after_initiation: AbortIncompleteMultipartUpload.DaysAfterInitiation,
            }),
          ),
        ]
      : []),
  ]);
}

function filterBlock({ And, Tag, ...conditions }: LifecycleFilter): string {
  if (And) {
    const { Tags = [], ...others } = And;
    const tags = Tags.map(({ Key, Value: value }) => `${quote(Key)} = ${quote(value)}`);
    const lines = [
      ...attributes(conditionAttributes(others)),
      ...(tags.length > 0 ? [block('tags =', tags)] : []),
    ];
    return block('filter', [block('and', lines)]);
  }
  const lines = attributes(conditionAttributes(conditions));
  return block('filter', [
    ...lines,
    ...(Tag ? [block('tag', attributes({ key: Tag.Key, value: Tag.Value }))] : []),
  ]);
}

function conditionAttributes({
  Prefix,
  ObjectSizeGreaterThan,
  ObjectSizeLessThan,
}: LifecycleFilter): Record<string, Value> {
  return {
    prefix: Prefix,
    object_size_greater_than: ObjectSizeGreaterThan,
    object_size_less_than: ObjectSizeLessThan,
  };
}

function attributes(values: Readonly<Record<string, Value>>): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} = ${typeof value === 'string' ? quote(value) : value}`],
  );
}

function block(head: string, lines: readonly string[]): string {
  if (lines.length === 0) return `${head} {}`;
  const body = lines.map((line) => line.replace(/^/gm, '  ')).join('\n');
  return `${head} {\n${body}\n}`;
}

/** Terraform's form of a time has no fraction. */
function toSeconds(date: string | undefined): string | undefined {
  return date?.replace('.000Z', 'Z');
}

/** A string of HCL: as in JSON, but `${` and `%{` would begin a template. */
function quote(text: string): string {
  return JSON.stringify(text).replaceAll(/([$%])\{/g, '$1$1{');
}

/** Letters, digits, hyphens and underscores; not a digit first. */
function resourceName(bucket: string): string {
  return `bucket_${bucket.replaceAll(/[^A-Za-z0-9-]/g, '_')}`;
}
