import { KEEP_OLD_VERSIONS_DAYS } from '../how-to/lifecycle.ts';
import { AWS, type LifecycleApi, type ProviderName } from '../providers/catalogue.ts';
import { formatBytes, formatCount } from '../../shared/amounts.ts';
import { deleteCommand, type DeleteMode, type ReleasedPlace } from './release-commands.ts';
import type { Release } from './release.ts';

/** How the owner deletes the source. */
export interface ReleaseHowTo {
  readonly summary: string;
  /** To paste one after the other. */
  readonly commands: readonly string[];
}

/** The source of a move, as the service reaches it. */
export interface ReleaseSource extends ReleasedPlace {
  readonly provider: ProviderName;
  /** The store's. */
  readonly title: string;
  readonly lifecycle: LifecycleApi;
}

/**
 * How the deletes of a store are conditional. S3 documents it for both calls; of another store that
 * counts which was measured.
 *
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-deletes.html
 */
export function deleteMode(provider: ProviderName, isMeasured: boolean): DeleteMode {
  if (provider === AWS) return 'batched';
  return isMeasured ? 'conditional' : 'compared';
}

/**
 * Deletes what the check has proven, with the owner's credentials, at the store of the source: each
 * object only if it still has the ETag that was proven, so that what was written since stays.
 */
export function releaseHowTo(release: Release, source: ReleaseSource): ReleaseHowTo {
  const { lifecycle } = source;
  const hasRule = release.versioned === true && (lifecycle === 'aws' || lifecycle === 's3');
  return {
    summary: [
      deletesText(release, source),
      ...versionsText(release.versioned, source),
      toolsText(source, hasRule),
    ].join(' '),
    commands: [deleteCommand(release, source, hasRule)],
  };
}

function deletesText({ objects, bytes }: Release, { bucket, title, deletes }: ReleaseSource) {
  const what = `Deletes ${formatCount(objects, 'object')} (${formatBytes(bytes)}) from ${bucket} at ${title}, each only if it still has the ETag that was checked: what was written since stays, and is named.`;
  const first =
    'If the first object of the list is there with another ETag, nothing is deleted: the bucket is then another one, or still written to.';
  const again =
    'It fetches the list itself, and may be interrupted and run again within 24 hours of the check.';
  return [what, ...PACE[deletes](title), first, again].join(' ');
}

const PACE: Readonly<Record<DeleteMode, (title: string) => readonly string[]>> = {
  batched: () => [],
  conditional: () => ['They are deleted one by one, some in a second.'],
  compared: (title) => [
    `${title} was not measured to refuse the delete of an object that has changed, so each object is compared right before its delete, and a write between the two is not seen: stop all writers first. They are deleted one by one, some in a second.`,
  ],
};

function versionsText(
  versioned: boolean | null,
  { prefix, title, lifecycle }: ReleaseSource,
): readonly string[] {
  if (versioned === false) return [];
  if (versioned === null)
    return [
      'Whether the bucket keeps versions could not be read. If it does, a delete only hides an object, and what it hides stays billed.',
    ];
  const below = prefix === null ? '' : ` below ${prefix}`;
  const hides =
    'The bucket keeps versions: a delete only hides an object, and what it hides stays billed.';
  switch (lifecycle) {
    case 'aws':
    case 's3': {
      const locks = lifecycle === 'aws' ? ', and with MFA Delete S3 takes no such rule' : '';
      return [
        `${hides} At the end a lifecycle rule is added that deletes hidden versions${below} ${KEEP_OLD_VERSIONS_DAYS} days later; versions under Object Lock or a legal hold stay until it ends${locks}.`,
      ];
    }
    case 'b2':
      return [
        `${hides} Set \`daysFromHidingToDeleting\` in a lifecycle rule of the bucket${below}, in the console or with \`b2 bucket update --lifecycle-rule\`: ${title} then deletes hidden versions so many days later (at least 1), also those that were hidden before the move.`,
      ];
    case 'none':
      return [
        `${hides} ${title} has no lifecycle rule that deletes hidden versions${below}: delete them in the store's console or with a tool of your own.`,
      ];
  }
}

function toolsText(source: ReleaseSource, hasRule: boolean): string {
  return `It needs bash, curl, jq, the AWS CLI of 2025 or newer with ${rightsText(source, hasRule)}, and SRS_BASE_URL and SRS_DASHBOARD_TOKEN in the environment.`;
}

/** https://www.backblaze.com/docs/cloud-storage-s3-compatible-app-keys for B2's. */
function rightsText({ provider, title, lifecycle }: ReleaseSource, hasRule: boolean): string {
  if (provider === AWS) {
    const rules = hasRule ? 's3:GetLifecycleConfiguration, s3:PutLifecycleConfiguration, ' : '';
    return `s3:ListBucket, ${rules}s3:GetObject and s3:DeleteObject of your own account`;
  }
  if (lifecycle === 'b2')
    return `a key of ${title} with the capabilities listFiles, readFiles, writeFiles and deleteFiles`;
  const rules = hasRule ? ", and read and change the bucket's lifecycle rules" : '';
  return `a key of ${title} that may list the bucket, and read and delete its objects${rules}`;
}
