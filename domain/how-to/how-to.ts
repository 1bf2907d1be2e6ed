import {
  addRuleCommand,
  tagJobCommand,
  tagObjectsCommand,
  ABORT_AFTER_DAYS,
  BATCH_ROLE,
  abortUploadsRule,
  changeClassRule,
  expireVersionsRule,
  KEEP_OLD_VERSIONS_DAYS,
} from './lifecycle.ts';
import { terraformWith } from './terraform.ts';
import type {
  ClassChange,
  CleanUp,
  HeldBucket,
  HowTo,
  LifecycleRule,
  ObjectTag,
  Source,
} from './types.ts';
import { formatCount, formatNumber } from '../../shared/amounts.ts';
import { classTitle } from '../../shared/storage-classes.ts';
import { DAY_MS } from '../common/time.ts';
import { AGE_BAND_FIRST_DAY, SMALL_OBJECT_BYTES } from '../inventory/bands.ts';
import type { StoredLifecycleRule } from '../inventory/lifecycle.ts';
import { changedBeside, changesOfRule, groupsBelow } from './rule-changes.ts';
import { b2HowTo, manualHowTo, s3HowTo } from './store-how-to.ts';

const TAG_KEY = 'storage-routing-to';
/** More are tagged by a job of S3 instead of one by one. */
const MOST_TAGGED_ONE_BY_ONE = 100_000;
const KEYS_PER_LISTING = 1000;
const TOOLS =
  'The commands need bash, the AWS CLI (1 or 2, of 2025 or newer; jq is not needed) and these rights in your own account:';
const RULE_RIGHTS = 's3:GetLifecycleConfiguration, s3:PutLifecycleConfiguration';
const KEEPS =
  'Rules that are there keep doing what they do, and those in the older form of S3 get its newer one, which S3 does not mix; running it twice changes nothing more.';
/** For classes whose savings differ from what their rates suggest. */
const SAVINGS_OF_CLASS: Readonly<Record<string, string>> = {
  INTELLIGENT_TIERING: ' Its tiers depend on future reads, so only half of the saving is promised.',
};

/** How to carry out a clean-up, by the lifecycle rules of the store. */
export function cleanUpHowTo(context: Source, candidate: CleanUp): HowTo {
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
function awsCleanUp({ kind, bucket }: CleanUp): HowTo {
  const { whatItDoes, rule, keptBy } = CLEAN_UPS[kind];
  const kept = (bucket.inventory.rules?.rules ?? []).filter(
    (each) => each.Status === 'Enabled' && keptBy(each),
  );
  if (kept.length > 0) return undecidedHowTo(whatItDoes, kept);
  return {
    summary: `A lifecycle rule ${whatItDoes} S3 applies it about once a day. ${KEEPS} ${TOOLS} ${RULE_RIGHTS}.`,
    ...ruleHowTo(bucket, rule()),
  };
}

interface CleanUpRule {
  readonly whatItDoes: string;
  readonly rule: () => LifecycleRule;
  /** Whether a rule of the customer's keeps for longer what this one would delete. */
  readonly keptBy: (rule: StoredLifecycleRule) => boolean;
}

const CLEAN_UPS: Readonly<Record<CleanUp['kind'], CleanUpRule>> = {
  abort_multipart_uploads: {
    whatItDoes: `aborts uploads that are unfinished ${ABORT_AFTER_DAYS} days after their start and deletes their parts; younger uploads go on. The savings are those of the parts that are that old today.`,
    rule: abortUploadsRule,
    keptBy: ({ AbortIncompleteMultipartUpload: { DaysAfterInitiation: days = 0 } = {} }) =>
      days > ABORT_AFTER_DAYS,
  },
  expire_old_versions: {
    whatItDoes: `deletes old versions for good ${KEEP_OLD_VERSIONS_DAYS} days after they were replaced or deleted, and delete markers that no longer hide anything: do not run this where they must be kept. The savings are those of the versions that are that old today.`,
    rule: expireVersionsRule,
    keptBy: ({ NoncurrentVersionExpiration: expiration }) =>
      (expiration?.NoncurrentDays ?? 0) > KEEP_OLD_VERSIONS_DAYS ||
      (expiration?.NewerNoncurrentVersions ?? 0) > 0,
  },
};

/** S3 follows the rule that deletes first, and a rule cannot leave a prefix out. */
function undecidedHowTo(whatItDoes: string, kept: readonly StoredLifecycleRule[]): HowTo {
  const names = kept.map(({ ID }) => ID ?? 'one without an id');
  const count = kept.length === 1 ? 'A rule' : 'Rules';
  return {
    summary: `${count} of your own (${names.join(', ')}) keep${kept.length === 1 ? 's' : ''} for longer what a rule for the whole bucket would delete, so there is no command for it. Add a rule for each prefix that they do not cover, which ${whatItDoes}`,
    lifecycleRule: null,
    commands: [],
    terraform: null,
  };
}

/**
 * How to carry out a change of class. A lifecycle rule selects by prefix, size, lowest age and
 * tags, but not by class or highest age.
 *
 * | such a rule would change                                    | the commands                                       |
 * |-------------------------------------------------------------|----------------------------------------------------|
 * | exactly the selected objects                                | add it                                             |
 * | besides these only what later changes of the same class are | add one rule with all these changes                |
 * | objects that are not selected too                           | tag the selected ones, add a rule that asks for it |
 *
 * @param recommended all changes of class that are recommended, this one too
 */
export function changeHowTo(
  { startedAt, source }: Pick<Source, 'source'> & { readonly startedAt: Date },
  candidate: ClassChange,
  recommended: readonly ClassChange[],
): HowTo {
  const { bucket, prefix, fromClass, toClass, firstBand, lastBand } = candidate;
  const objects = { prefix, minSizeBytes: SMALL_OBJECT_BYTES };
  const where = prefix === null ? 'in the bucket' : `below ${prefix}`;
  const nameOf = (storageClass: string) => `${classTitle(source, storageClass)} (${storageClass})`;
  const transition = (change: ClassChange) => ({
    Days: AGE_BAND_FIRST_DAY[change.firstBand],
    StorageClass: change.toClass,
  });
  const effect = (change: ClassChange) =>
    `to ${nameOf(change.toClass)} ${atAge(AGE_BAND_FIRST_DAY[change.firstBand])}`;
  const daily = `S3 applies it about once a day.${SAVINGS_OF_CLASS[toClass] ?? ''}`;
  const changes = changesOfRule(candidate, recommended);
  if (changes) {
    const what =
      changes.length === 1
        ? 'It selects what is recommended and nothing else, and later also what reaches that age.'
        : `It carries out ${formatCount(changes.length, 'recommendation')} at once: a rule for one of them alone would change objects of the other.`;
    return {
      summary: `A lifecycle rule changes the objects of ${formatNumber(SMALL_OBJECT_BYTES)} bytes and more ${where} ${changes.map(effect).join(', and ')}. ${daily} ${what} ${KEEPS} ${TOOLS} ${RULE_RIGHTS}.`,
      ...ruleHowTo(bucket, changeClassRule({ ...objects, tag: null }, changes.map(transition))),
    };
  }
  const tag: ObjectTag = { Key: TAG_KEY, Value: toClass };
  const rule = changeClassRule({ ...objects, tag }, [transition(candidate)]);
  const lastDay = AGE_BAND_FIRST_DAY[lastBand + 1];
  const ago = (days: number) => new Date(startedAt.getTime() - days * DAY_MS);
  const toTag = {
    ...objects,
    storageClass: fromClass,
    modifiedUntil: ago(AGE_BAND_FIRST_DAY[firstBand]),
    modifiedAfter: lastDay === undefined ? null : ago(lastDay),
  };
  const isJob = candidate.objects > MOST_TAGGED_ONE_BY_ONE;
  const command = isJob ? tagJobCommand : tagObjectsCommand;
  return {
    summary: `A lifecycle rule cannot select by storage class or by a highest age: without more it would change ${formatCount(changedBeside(candidate, recommended), 'object')} besides. So the first command ${isJob ? 'makes a job of S3 Batch Operations that tags' : 'tags'} the recommended objects (${TAG_KEY}=${toClass}) and the second adds a rule that changes the tagged ones ${where} ${effect(candidate)}. ${daily} ${isJob ? BY_JOB : ONE_BY_ONE} What reaches that age later is not tagged. ${KEEPS} ${TOOLS} ${RULE_RIGHTS}, ${isJob ? 's3:CreateJob, iam:PassRole' : 's3:ListBucket, s3:GetObjectTagging, s3:PutObjectTagging'}.`,
    lifecycleRule: rule,
    commands: [command(bucketPlace(bucket), toTag, tag), addRuleCommand(bucketPlace(bucket), rule)],
    terraform: toTerraform(bucket, rule),
  };
}

const ONE_BY_ONE =
  'Other tags stay. An object that cannot be tagged, because it has ten tags for instance, is named and stays as it is. S3 bills two requests for each object, and the tags.';
const BY_JOB = `The job waits until you confirm it, and the rule changes nothing before that. It replaces the tags of an object: confirm it only if these objects have no tags of their own. It works as the role that ${BATCH_ROLE} names, which S3 Batch Operations may assume, with s3:PutObjectTagging on the objects and s3:PutInventoryConfiguration and s3:ListBucket on the bucket. S3 bills a request for each object, the job and the tags.`;

/** The cost in USD of the requests that tag the objects of a change; 0 where none is needed. */
export function taggingRequestsUsd(
  candidate: ClassChange,
  recommended: readonly ClassChange[],
  prices: { readonly putUsd: number; readonly getUsd: number; readonly listUsd: number },
): number {
  const { objects } = candidate;
  if (changesOfRule(candidate, recommended)) return 0;
  if (objects > MOST_TAGGED_ONE_BY_ONE) return objects * prices.putUsd;
  const listed = groupsBelow(candidate).reduce((sum, group) => sum + group.objects, 0);
  const listings = Math.ceil(listed / KEYS_PER_LISTING);
  return objects * (prices.getUsd + prices.putUsd) + listings * prices.listUsd;
}

function atAge(days: number): string {
  return days === 0 ? 'at any age' : `once they are ${formatNumber(days)} days old`;
}

function ruleHowTo(bucket: HeldBucket, rule: LifecycleRule): Omit<HowTo, 'summary'> {
  return {
    lifecycleRule: rule,
    commands: [addRuleCommand(bucketPlace(bucket), rule)],
    terraform: toTerraform(bucket, rule),
  };
}

function toTerraform({ inventory: { name, rules } }: HeldBucket, rule: LifecycleRule) {
  return rules ? terraformWith(name, rules, rule) : null;
}

function bucketPlace({ inventory: { name, region } }: HeldBucket) {
  return { bucket: name, region };
}
