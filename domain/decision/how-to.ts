import {
  addRuleCommand,
  tagObjectsCommand,
  ABORT_AFTER_DAYS,
  abortUploadsRule,
  changeClassRule,
  expireVersionsRule,
  KEEP_OLD_VERSIONS_DAYS,
} from './lifecycle.ts';
import { terraformWith } from './terraform.ts';
import type { ObjectTag, HowTo, LifecycleRule } from './types.ts';
import { formatCount, formatNumber } from '../../sdk/src/figures.ts';
import { DAY_MS } from '../common/time.ts';
import { AGE_BAND_FIRST_DAY, SMALL_OBJECT_BYTES } from '../inventory/bands.ts';
import { b2HowTo, manualHowTo, s3HowTo } from './store-how-to.ts';
import type {
  AccountContext,
  ChangeCandidate,
  CleanUpCandidate,
  DecisionContext,
  PricedBucket,
  PricedGroup,
} from './model.ts';

/**
 * The classes from which a lifecycle rule changes objects to a class.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-transition-general-considerations.html
 */
const CHANGED_FROM: Readonly<Record<string, readonly string[]>> = {
  STANDARD_IA: ['STANDARD', 'REDUCED_REDUNDANCY'],
  GLACIER_IR: ['STANDARD', 'REDUCED_REDUNDANCY', 'STANDARD_IA', 'INTELLIGENT_TIERING'],
};

const TAG_KEY = 'storage-routing-to';
const TOOLS =
  'The commands need bash, the AWS CLI (1 or 2, of 2025 or newer; jq is not needed) and these rights in your own account:';
const RULE_RIGHTS = 's3:GetLifecycleConfiguration, s3:PutLifecycleConfiguration';
const KEEPS = 'Rules that are there stay as they are; running it twice changes nothing more.';

/** How to carry out a clean-up, by the lifecycle rules of the store. */
export function cleanUpHowTo(context: AccountContext, candidate: CleanUpCandidate): HowTo {
  const { lifecycle } = context.catalogue.entry(context.source);
  switch (lifecycle) {
    case 'aws':
      return awsCleanUp(candidate);
    case 's3':
      return s3HowTo(context, candidate);
    case 'b2':
      return b2HowTo(candidate);
    case 'none':
      return manualHowTo(context, candidate);
  }
}

/** A lifecycle rule for the whole bucket. */
function awsCleanUp({ kind, bucket }: CleanUpCandidate): HowTo {
  switch (kind) {
    case 'abort_multipart_uploads':
      return {
        summary: `A lifecycle rule aborts uploads that are unfinished ${ABORT_AFTER_DAYS} days after their start and deletes their parts; younger uploads go on. S3 applies it about once a day. ${KEEPS} ${TOOLS} ${RULE_RIGHTS}.`,
        ...ruleHowTo(bucket, abortUploadsRule()),
      };
    case 'expire_old_versions':
      return {
        summary: `A lifecycle rule deletes old versions for good ${KEEP_OLD_VERSIONS_DAYS} days after they were replaced or deleted, and delete markers that hide nothing any more. A rule of your own that keeps old versions for longer has no effect any more: do not run this where they must be kept. The savings are reached once the old versions of today are that old. S3 applies it about once a day. ${KEEPS} ${TOOLS} ${RULE_RIGHTS}.`,
        ...ruleHowTo(bucket, expireVersionsRule()),
      };
  }
}

/**
 * How to carry out a change of class. A lifecycle rule selects by prefix, size, lowest age and tags,
 * but not by class or highest age.
 *
 * | such a rule would change           | the commands                                       |
 * |------------------------------------|----------------------------------------------------|
 * | exactly the selected objects       | add it                                             |
 * | objects that are not selected too  | tag the selected ones, add a rule that asks for it |
 */
export function changeHowTo({ startedAt }: DecisionContext, candidate: ChangeCandidate): HowTo {
  const { bucket, prefix, fromClass, toClass, firstBand, lastBand } = candidate;
  const minAgeDays = AGE_BAND_FIRST_DAY[firstBand] ?? 0;
  const maxAgeDays = AGE_BAND_FIRST_DAY[lastBand + 1] ?? null;
  const others = changedBeside(candidate).reduce(
    (sum, { statistics: { objects: all, smallObjects } }) => sum + all - smallObjects,
    0,
  );
  const objects = { prefix, minSizeBytes: SMALL_OBJECT_BYTES, minAgeDays };
  const where = prefix === null ? 'in the bucket' : `below ${prefix}`;
  const effect = `to ${toClass} once they are ${formatNumber(minAgeDays)} days old. S3 applies it about once a day.`;
  if (others === 0) {
    return {
      summary: `A lifecycle rule changes the objects of ${formatNumber(SMALL_OBJECT_BYTES)} bytes and more ${where} ${effect} It selects what is recommended and nothing else, and later also what reaches that age. ${KEEPS} ${TOOLS} ${RULE_RIGHTS}.`,
      ...ruleHowTo(bucket, changeClassRule({ ...objects, tag: null }, toClass)),
    };
  }
  const tag: ObjectTag = { Key: TAG_KEY, Value: toClass };
  const rule = changeClassRule({ ...objects, tag }, toClass);
  const ago = (days: number) => new Date(startedAt.getTime() - days * DAY_MS);
  const tagging = tagObjectsCommand(
    bucketPlace(bucket),
    {
      prefix,
      storageClass: fromClass,
      minSizeBytes: SMALL_OBJECT_BYTES,
      modifiedUntil: ago(minAgeDays),
      modifiedAfter: maxAgeDays === null ? null : ago(maxAgeDays),
    },
    tag,
  );
  return {
    summary: `A lifecycle rule cannot select by storage class or by a highest age: without more it would change ${formatCount(others, 'object')} besides. So the first command tags the recommended objects (${TAG_KEY}=${toClass}, other tags stay) and the second adds a rule that changes the tagged ones ${where} ${effect} An object that cannot be tagged, because it has ten tags for instance, is named and stays as it is. S3 bills two requests for each object and the tags. ${KEEPS} ${TOOLS} ${RULE_RIGHTS}, s3:ListBucket, s3:GetObjectTagging, s3:PutObjectTagging.`,
    lifecycleRule: rule,
    commands: [tagging, addRuleCommand(bucketPlace(bucket), rule)],
    terraform: toTerraform(bucket, rule),
  };
}

/** The groups that a rule without a tag would change although the candidate does not select them. */
function changedBeside({ bucket, prefix, firstBand, toClass, parts }: ChangeCandidate) {
  const selected = new Set<PricedGroup>(parts.map(({ group }) => group));
  return bucket.groups.filter(
    (group) =>
      !selected.has(group) &&
      (prefix === null || group.prefix === prefix) &&
      group.ageBand >= firstBand &&
      group.statistics.objects > group.statistics.smallObjects &&
      (CHANGED_FROM[toClass] ?? []).includes(group.classRates.storageClass),
  );
}

function ruleHowTo(bucket: PricedBucket, rule: LifecycleRule): Omit<HowTo, 'summary'> {
  return {
    lifecycleRule: rule,
    commands: [addRuleCommand(bucketPlace(bucket), rule)],
    terraform: toTerraform(bucket, rule),
  };
}

function toTerraform({ inventory: { name, rules } }: PricedBucket, rule: LifecycleRule) {
  return rules ? terraformWith(name, rules, rule) : null;
}

function bucketPlace({ inventory: { name, region } }: PricedBucket) {
  return { bucket: name, region };
}
