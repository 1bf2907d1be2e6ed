import type { CleanUpKind } from '../../shared/recommendations.ts';
import { quoteWord } from '../../shared/text.ts';
import {
  ABORT_AFTER_DAYS,
  KEEP_OLD_VERSIONS_DAYS,
  abortUploadsRule,
  addRuleCommand,
  expireVersionsRule,
  script,
} from './lifecycle.ts';
import type { CleanUp, HowTo, LifecycleRule, Source } from './types.ts';

/** How to clean up at a store other than AWS, by the lifecycle API that the catalogue names. */

const UPLOADS = `unfinished uploads ${ABORT_AFTER_DAYS} days after their start, and their parts`;
const TOOLS = 'The commands need bash, the AWS CLI (1 or 2, of 2025 or newer)';
/** B2 hides a version that is replaced or deleted; the fewest days that its rules take. */
const HIDDEN_DAYS = 1;
/** https://b2-command-line-tool.readthedocs.io/en/master/subcommands/bucket_update.html */
const B2_RULE = { fileNamePrefix: '', daysFromUploadingToHiding: null };

interface CleanUpTexts {
  readonly rule: LifecycleRule;
  readonly deletes: string;
  /** As B2 does it, whose rules always abort uploads too. */
  readonly deletesAtB2: string;
  readonly b2Rule: object;
  readonly byHand: string;
}

const CLEAN_UPS: Readonly<Record<CleanUpKind, CleanUpTexts>> = {
  abort_multipart_uploads: {
    rule: abortUploadsRule(),
    deletes: UPLOADS,
    deletesAtB2: UPLOADS,
    b2Rule: {},
    byHand: 'abort the unfinished uploads',
  },
  expire_old_versions: {
    rule: expireVersionsRule(),
    deletes: `old versions ${KEEP_OLD_VERSIONS_DAYS} days after they were replaced or deleted`,
    deletesAtB2: `old versions, which B2 calls hidden, ${HIDDEN_DAYS} day after they were replaced or deleted, and ${UPLOADS}`,
    b2Rule: { daysFromHidingToDeleting: HIDDEN_DAYS },
    byHand: 'delete the old versions',
  },
};

/** The store's own lifecycle rule, with the AWS CLI at the store's endpoint. */
export function s3HowTo(context: Source, { kind, bucket }: CleanUp): HowTo {
  const { title } = context.catalogue.entry(context.source);
  const { name, region } = bucket.inventory;
  const { deletes, rule } = CLEAN_UPS[kind];
  const endpoint = endpointOf(context, region);
  return {
    summary: `A lifecycle rule of the bucket makes ${title} delete ${deletes}. Do not run this where they must be kept. Rules that are there stay as they are. ${TOOLS} and a key of ${title} that may read and change the bucket's lifecycle rules.`,
    lifecycleRule: rule,
    commands: endpoint === null ? [] : [addRuleCommand({ bucket: name, region, endpoint }, rule)],
    terraform: null,
  };
}

/** Null if the account's location of the store is not known. */
function endpointOf({ catalogue, source, configured }: Source, region: string): string | null {
  const entry = catalogue.entry(source);
  const own = configured.find(({ provider }) => provider === source);
  if (entry.needsAccountId && own?.accountId === undefined) return null;
  return entry.endpoint({ ...own, region });
}

/**
 * B2's own lifecycle rule, with its command-line tool. An update sets all rules of a bucket at
 * once, so the command changes nothing where there are some.
 */
export function b2HowTo({ kind, bucket }: CleanUp): HowTo {
  const aborts = { daysFromStartingToCancelingUnfinishedLargeFiles: ABORT_AFTER_DAYS };
  const { b2Rule, deletesAtB2 } = CLEAN_UPS[kind];
  const rule = { ...B2_RULE, ...b2Rule, ...aborts };
  const name = quoteWord(bucket.inventory.name);
  const update = `b2 bucket update --lifecycle-rule ${quoteWord(JSON.stringify(rule))}`;
  return {
    summary: `A lifecycle rule of the bucket makes B2 delete ${deletesAtB2}. Do not run this where they must be kept. An update replaces all rules of a bucket: where there are some, the command changes nothing and shows them. The command needs bash, the b2 command-line tool (4 or newer) and a key with the capabilities listBuckets, writeBuckets and readBucketEncryption.`,
    lifecycleRule: null,
    commands: [
      script([
        `  there=$(b2 bucket get ${name})`,
        `  case $(printf %s "$there" | tr -d ' \\n') in`,
        '    *\'"lifecycleRules":[]\'*) ;;',
        '    *) printf "%s\\nThe bucket has lifecycle rules: give each of them with a --lifecycle-rule of its own, beside the new one. Nothing was changed.\\n" "$there" >&2; exit 1 ;;',
        '  esac',
        `  ${update} ${name} >/dev/null`,
        '  echo "The rule is set."',
      ]),
    ],
    terraform: null,
  };
}

/** A store without lifecycle rules for it. */
export function manualHowTo({ catalogue, source }: Source, { kind }: CleanUp): HowTo {
  const title = catalogue.titleOf(source);
  return {
    summary: `${title} has no lifecycle rule that does this: ${CLEAN_UPS[kind].byHand} in the store's console or with a tool of your own, but keep what is still needed.`,
    lifecycleRule: null,
    commands: [],
    terraform: null,
  };
}
