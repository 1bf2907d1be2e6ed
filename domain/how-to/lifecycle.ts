import { quoteWord } from '../../shared/text.ts';
import { createHash } from 'node:crypto';
import type { LifecycleRule, ObjectTag } from './types.ts';

/** The objects that a rule applies to, and what it does with them. */
type RuleBody = Omit<LifecycleRule, 'ID' | 'Status'>;

const WHOLE_BUCKET = { Prefix: '' };
/** The period of AWS's own recommendation: uploads that still run are younger. */
export const ABORT_AFTER_DAYS = 7;
/** For this long a deleted or overwritten object can be brought back. */
export const KEEP_OLD_VERSIONS_DAYS = 30;

export function abortUploadsRule(): LifecycleRule {
  return rule('abort-incomplete-uploads', {
    Filter: WHOLE_BUCKET,
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: ABORT_AFTER_DAYS },
  });
}

/** Deletes the old versions below a prefix, and delete markers that no longer hide anything. */
export function expireVersionsRule({ Prefix } = WHOLE_BUCKET): LifecycleRule {
  return rule('expire-old-versions', {
    Filter: { Prefix },
    Expiration: { ExpiredObjectDeleteMarker: true },
    NoncurrentVersionExpiration: { NoncurrentDays: KEEP_OLD_VERSIONS_DAYS },
  });
}

/** The current objects that a change of class applies to. */
export interface ChangedObjects {
  /** Null for the whole bucket. */
  readonly prefix: string | null;
  readonly minSizeBytes: number;
  /** Null if the other conditions select no other object. */
  readonly tag: ObjectTag | null;
}

/** Changes the class of some objects as they reach the age of each transition. */
export function changeClassRule(
  { prefix, minSizeBytes, tag }: ChangedObjects,
  transitions: NonNullable<LifecycleRule['Transitions']>,
): LifecycleRule {
  const conditions = {
    ...(prefix === null ? {} : { Prefix: prefix }),
    // The API's bound is exclusive.
    ObjectSizeGreaterThan: minSizeBytes - 1,
    ...(tag === null ? {} : { Tags: [tag] }),
  };
  return rule('change-class', {
    Filter: Object.keys(conditions).length === 1 ? conditions : { And: conditions },
    Transitions: transitions,
  });
}

/** Its id follows from its content: a rule with that id is this rule. */
function rule(name: string, body: RuleBody): LifecycleRule {
  return { ID: `storage-routing-${name}-${hashOf(body)}`, Status: 'Enabled', ...body };
}

function hashOf(content: object): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 12);
}

/** The newest field of a lifecycle configuration: a CLI that knows it keeps every older one. */
const NEWEST_FIELD = 'TransitionDefaultMinimumObjectSize';

export interface BucketPlace {
  readonly bucket: string;
  readonly region: string;
  /** Default: AWS's in the region. */
  readonly endpoint?: string;
}

/**
 * Gives each rule of the older form, whose prefix is no filter, the filter that means the same: S3
 * takes no document of both forms. The CLI prints the fields of a rule with this indent; a prefix
 * within a filter has a larger one.
 */
const TO_FILTERS = String.raw`sed -E 's/^ {12}"Prefix": (".*")(,?)$/            "Filter": {"Prefix": \1}\2/'`;

export interface ObjectsToTag {
  /** Null for the whole bucket. */
  readonly prefix: string | null;
  readonly storageClass: string;
  readonly minSizeBytes: number;
  /** Last modified at this time or earlier. */
  readonly modifiedUntil: Date;
  /** Last modified later than this; null: at any time before. */
  readonly modifiedAfter: Date | null;
}

/**
 * Adds a rule to the bucket's lifecycle configuration and keeps what the existing ones do: it reads
 * the configuration, appends, and writes it with its minimum size for transitions. If a rule of
 * that id exists, it changes nothing. It fails if the configuration cannot be read, or if the CLI
 * is too old: such a CLI drops the fields of the customer's own rules that it does not know, such
 * as a size filter.
 */
export function addRuleCommand(place: BucketPlace, rule: LifecycleRule): string {
  return script([...TEMPORARY_FOLDER, ...addRuleLines(place, rule)]);
}

/** A folder `$work` that goes with the script. */
export const TEMPORARY_FOLDER: readonly string[] = [
  '  work=$(mktemp -d)',
  `  trap 'rm -r "$work"' EXIT`,
];

/**
 * Sets the form of addresses, which is no option of the CLI, in a copy of the owner's settings:
 * their file may ask for the other one, and without a setting the CLI takes paths at any
 * `--endpoint-url`.
 */
export function addressingLines(pathStyle: boolean): string[] {
  return [
    '  cat "${AWS_CONFIG_FILE:-${HOME-}/.aws/config}" >"$work/config" 2>/dev/null || true',
    `  export AWS_CONFIG_FILE="$work/config"`,
    `  aws configure set s3.addressing_style ${pathStyle ? 'path' : 'virtual'}`,
  ];
}

/** The lines of such a script, as its last ones, after {@link TEMPORARY_FOLDER}. */
export function addRuleLines(place: BucketPlace, rule: LifecycleRule): string[] {
  const json = literal(rule);
  const endpoint =
    place.endpoint === undefined ? '' : ` --endpoint-url ${quoteWord(place.endpoint)}`;
  return [
    `  place=(--bucket ${quoteWord(place.bucket)} --region ${quoteWord(place.region)}${endpoint})`,
    '  lifecycle() { aws s3api get-bucket-lifecycle-configuration "${place[@]}" "$@"; }',
    // Prints the fields that the CLI knows, without a request; every CLI knows the second one.
    '  case $(lifecycle --generate-cli-skeleton output 2>/dev/null) in',
    `    *${NEWEST_FIELD}*) ;;`,
    '    *NoncurrentVersionTransitions*) echo "This AWS CLI is too old: it would leave out parts of the rules that are there. Nothing was changed." >&2; exit 1 ;;',
    '  esac',
    '  minimum=None',
    `  if there=$(lifecycle --output text --query ${quoteWord(`length(Rules[?ID==\`${literal(rule.ID)}\`])`)} 2>"$work/error"); then`,
    '    if [ "$there" != 0 ]; then echo "The rule is there already."; exit; fi',
    `    lifecycle --output json --query ${quoteWord(`{Rules: [Rules, \`[${json}]\`][]}`)} |`,
    `      ${TO_FILTERS} >"$work/rules.json"`,
    `    minimum=$(lifecycle --output text --query ${NEWEST_FIELD})`,
    '  elif grep -q NoSuchLifecycleConfiguration "$work/error"; then',
    `    printf %s ${quoteWord(`{"Rules": [${json}]}`)} >"$work/rules.json"`,
    '  else',
    '    cat "$work/error" >&2; exit 1',
    '  fi',
    '  if [ "$minimum" != None ]; then set -- --transition-default-minimum-object-size "$minimum"; fi',
    '  aws s3api put-bucket-lifecycle-configuration "${place[@]}" --lifecycle-configuration "file://$work/rules.json" "$@" >/dev/null',
    '  echo "The rule is added."',
  ];
}

/** Adds a tag to some objects and keeps their other tags. Tagging again changes nothing. */
export function tagObjectsCommand(
  place: BucketPlace,
  objects: ObjectsToTag,
  tag: ObjectTag,
): string {
  const conditions = [
    `StorageClass==\`${literal(objects.storageClass)}\``,
    `Size>=\`${objects.minSizeBytes}\``,
    `LastModified<\`${literal(nextSecond(objects.modifiedUntil))}\``,
    ...(objects.modifiedAfter === null
      ? []
      : [`LastModified>=\`${literal(nextSecond(objects.modifiedAfter))}\``]),
  ];
  const listed = `(Contents || \`[]\`)[?${conditions.join(' && ')}].[Key]`;
  const tags = `{TagSet: [TagSet[?Key!=\`${literal(tag.Key)}\`], \`[${literal(tag)}]\`][]}`;
  const prefix = objects.prefix === null ? '' : ` --prefix=${quoteWord(objects.prefix)}`;
  return script([
    `  export bucket=${quoteWord(place.bucket)} region=${quoteWord(place.region)}`,
    '  tag_object() {',
    '    [ -n "${1-}" ] || return 0',
    '    local key tags',
    // The listing is URL-encoded, so that each key is one line.
    String.raw`    key=${'$'}{1//+/ }; printf -v key %b "${'$'}{key//\%/\\x}"`,
    '    case $key in file://* | fileb://* | http://* | https://*) echo "The CLI cannot name $1" >&2; return 1 ;; esac',
    `    tags=$(aws s3api get-object-tagging --bucket "$bucket" --region "$region" --key="$key" --output json --query ${quoteWord(tags)}) &&`,
    '      aws s3api put-object-tagging --bucket "$bucket" --region "$region" --key="$key" --tagging "$tags" >/dev/null ||',
    // Any other status makes xargs skip the rest.
    '      return 1',
    '  }',
    '  export -f tag_object',
    `  aws s3api list-objects-v2 --bucket "$bucket" --region "$region"${prefix} --encoding-type url --output text --query ${quoteWord(listed)} |`,
    `    tr '\\n' '\\0' | xargs -0 -n 1 -P 8 bash -c 'tag_object "$1"' tag`,
    '  echo "The objects are tagged."',
  ]);
}

/** The role that S3 Batch Operations works as is an environment variable of the command. */
export const BATCH_ROLE = 'BATCH_ROLE_ARN';

/**
 * Has S3 Batch Operations tag some objects: a job that finds them by itself, and waits until its
 * owner has confirmed it. Given again, it is the same job. It replaces the tags of an object.
 */
export function tagJobCommand(place: BucketPlace, objects: ObjectsToTag, tag: ObjectTag): string {
  const { prefix, storageClass, minSizeBytes, modifiedUntil, modifiedAfter } = objects;
  const job = {
    ConfirmationRequired: true,
    Priority: 10,
    Description: `Tag objects of ${place.bucket} with ${tag.Key}=${tag.Value}`,
    Operation: { S3PutObjectTagging: { TagSet: [tag] } },
    Report: { Enabled: false },
    ManifestGenerator: {
      S3JobManifestGenerator: {
        SourceBucket: `arn:aws:s3:::${place.bucket}`,
        EnableManifestOutput: false,
        Filter: {
          ...(prefix === null ? {} : { KeyNameConstraint: { MatchAnyPrefix: [prefix] } }),
          MatchAnyStorageClass: [storageClass],
          ObjectSizeGreaterThanBytes: minSizeBytes - 1,
          CreatedBefore: `${nextSecond(modifiedUntil)}Z`,
          ...(modifiedAfter === null ? {} : { CreatedAfter: modifiedAfter.toISOString() }),
        },
      },
    },
  };
  const ClientRequestToken = hashOf(job);
  return script([
    `  : "\${${BATCH_ROLE}:?Set it to the ARN of a role that S3 Batch Operations may assume.}"`,
    '  account=$(aws sts get-caller-identity --output text --query Account)',
    `  aws s3control create-job --account-id "$account" --region ${quoteWord(place.region)} --role-arn "$${BATCH_ROLE}" --cli-input-json ${quoteWord(JSON.stringify({ ...job, ClientRequestToken }))} --output text --query JobId`,
    '  echo "The job waits for you: confirm it in the console of S3, under Batch Operations."',
  ]);
}

/**
 * A script to paste: it needs bash and the AWS CLI (1 or 2, of 2025 or newer), whose `--query`
 * merges the JSON. It runs in its own shell, so that an error does not end the terminal's.
 */
export function script(lines: readonly string[]): string {
  return ["bash <<'COMMANDS'", '{', '  set -euo pipefail', ...lines, '}', 'COMMANDS'].join('\n');
}

/** S3 shows whole seconds: before or at a time is before the second that follows it. */
function nextSecond(date: Date): string {
  return new Date(date.getTime() + 1000).toISOString().slice(0, 19);
}

/** JSON for a JMESPath literal, which ends at a backtick. */
function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll('`', String.raw`\u0060`);
}
