import {
  addRuleCommand,
  expireVersionsRule,
  KEEP_OLD_VERSIONS_DAYS,
  quote,
  script,
} from '../decision/lifecycle.ts';
import { formatBytes, formatCount } from '../../sdk/src/figures.ts';
import type { Release } from './release.ts';

/** How the owner deletes the source. */
export interface ReleaseHowTo {
  readonly summary: string;
  /** To paste one after the other. */
  readonly commands: readonly string[];
}

/** What a migration was to move. */
interface ReleasedPlace {
  readonly bucket: string;
  readonly region: string;
  /** Null: the whole bucket. */
  readonly prefix: string | null;
}

const RIGHTS = 's3:DeleteObject and s3:GetObject';

/**
 * Deletes what the check has proven, with the owner's credentials: each object only if it still has the ETag that was
 * proven, so that what was written since stays. DELETE costs nothing.
 *
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-deletes.html
 */
export function releaseHowTo(
  { migrationId, objects, bytes, versioned }: Release,
  { bucket, region, prefix }: ReleasedPlace,
): ReleaseHowTo {
  const place = { bucket, region };
  const deletes = `Deletes ${formatCount(objects, 'object')} (${formatBytes(bytes)}) from ${bucket}, a thousand at a time, each only if it still has the ETag that was checked: what was written since stays, and is named. It fetches the list itself, and may be interrupted and run again within 24 hours of the check. It needs bash, curl, jq, the AWS CLI of 2025 or newer with ${RIGHTS} of your own account, and SRS_BASE_URL and SRS_DASHBOARD_TOKEN in the environment.`;
  const versions = `The bucket keeps versions: a delete only hides an object, and what it hides stays billed. The last command adds a lifecycle rule that deletes hidden versions${prefix === null ? '' : ` below ${prefix}`} ${KEEP_OLD_VERSIONS_DAYS} days later; versions under Object Lock or a legal hold stay until it ends, and with MFA Delete S3 takes no such rule.`;
  const unknown =
    'Whether the bucket keeps versions could not be read. If it does, a delete only hides an object, and what it hides stays billed.';
  const rule = expireVersionsRule({ Prefix: prefix ?? '' });
  return {
    summary: [
      deletes,
      ...(versioned ? [versions] : []),
      ...(versioned === null ? [unknown] : []),
    ].join(' '),
    commands: [
      deleteCommand(migrationId, place),
      ...(versioned ? [addRuleCommand(place, rule)] : []),
    ],
  };
}

function deleteCommand(
  migrationId: string,
  { bucket, region }: Pick<ReleasedPlace, 'bucket' | 'region'>,
): string {
  return script([
    '  : "${SRS_BASE_URL:?}" "${SRS_DASHBOARD_TOKEN:?}"',
    '  work=$(mktemp -d)',
    `  trap 'rm -r "$work"' EXIT`,
    '  curl -fsS -H "authorization: Bearer $SRS_DASHBOARD_TOKEN" \\',
    `    "$SRS_BASE_URL/v1/scanner/migration/${migrationId}/release/objects" >"$work/objects"`,
    '  split -a 6 -l 1000 "$work/objects" "$work/part."',
    '  for part in "$work"/part.*; do',
    '    [ -e "$part" ] || break',
    String.raw`    jq -s '{Quiet: true, Objects: map({Key: .key, ETag: "\"\(.etag)\""})}' "$part" >"$part.json"`,
    `    aws s3api delete-objects --bucket ${quote(bucket)} --region ${quote(region)} --delete "file://$part.json" --output json >"$part.out"`,
    // What an earlier run has deleted is missing.
    String.raw`    jq -r '(.Errors // [])[] | select(.Code != "NoSuchKey") | "stays: \(.Key) (\(.Code))"' "$part.out"`,
    '  done',
    '  echo "All objects of the list are deleted, except for those named above."',
  ]);
}
