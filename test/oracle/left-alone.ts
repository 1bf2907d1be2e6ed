import type { LeftAlone, LeftAloneCode } from '../../domain/decision/types.ts';
import { isShortLived, movableOf, prefixesIn, touches } from './flow.ts';
import type { Fraction } from './fraction.ts';
import { compareUtf8, UPLOADS } from './inventory.ts';
import { current } from './placements.ts';
import type { Bucket, HeldGroup, Scan } from './storage.ts';

/** Section 6 of the pricing rules: what is left alone, and why. */

const TOOLS = [
  'cdk- cf-templates- aws-sam-cli-managed-default elasticbeanstalk- aws-glue-assets-',
  'aws-athena-query-results- sagemaker- aws-emr- codepipeline- aws-cloudtrail-logs-',
].flatMap((line) => line.split(' '));

const isTool = (name: string): boolean =>
  TOOLS.some((prefix) => name.startsWith(prefix)) || name.includes('serverlessdeploymentbucket');

/** Files of the service stay where they are. */
export const isRouted = (bucket: Bucket, prefix: string): boolean =>
  bucket.isRouted === true && prefix === UPLOADS;

/** Why a bucket is left alone as a whole. */
function codeOfBucket({ name, use }: Bucket): LeftAloneCode | null {
  if (use.isKept) return 'kept';
  if (use.isLocked) return 'locked';
  if (use.isReplicated) return 'replicated';
  return isTool(name) ? 'tool' : null;
}

/** An expiration that ends sooner is no reason to copy what it deletes. */
const SOON_DAYS = 730;

/** Why a prefix is left alone, by what is in it. */
function codeOfPrefix(bucket: Bucket, prefix: string): LeftAloneCode | null {
  const marks = bucket.marks.find((one) => one.prefix === prefix)?.marks ?? [];
  if (prefix === 'AWSLogs/' || marks.includes('aws_logs')) return 'aws_logs';
  if (marks.includes('state')) return 'state';
  if (marks.includes('table')) return 'table';
  const isSoon = ({ days }: Bucket['expirations'][number]) => days <= SOON_DAYS;
  const expires = bucket.expirations.filter((one) => touches(bucket, one, prefix)).some(isSoon);
  if (expires) return 'expires';
  return isShortLived(bucket, prefix) ? 'short_lived' : null;
}

/** The first code that holds of a prefix, its bucket's included. */
export function codeOf(bucket: Bucket, prefix: string): LeftAloneCode | null {
  if (isRouted(bucket, prefix)) return 'routed';
  return codeOfBucket(bucket) ?? codeOfPrefix(bucket, prefix);
}

/** Changes of class are left out too. */
export const mayChange = (bucket: Bucket, prefix: string): boolean =>
  !isRouted(bucket, prefix) && !bucket.use.isKept && !isShortLived(bucket, prefix);

export type ExpectedRow = Omit<LeftAlone, 'message'>;
interface Row extends Omit<ExpectedRow, 'monthlyCostUsd'> {
  readonly usd: Fraction;
}

function rowOf(
  scan: Scan,
  bucket: Bucket,
  of: Pick<Row, 'prefix' | 'code'>,
  groups: readonly HeldGroup[],
): Row {
  const isWhole = of.prefix === null;
  const parts = { ...bucket, groups, ...(isWhole ? {} : { oldVersions: [], incompleteUploads }) };
  return {
    bucket: bucket.name,
    ...of,
    objects: groups.reduce((total, { objects }) => total + objects, 0),
    bytes: groups.reduce((total, { bytes }) => total + bytes, 0),
    usd: current(scan, parts),
  };
}

const incompleteUploads: Bucket['incompleteUploads'] = {
  uploads: 0,
  bytes: 0,
  oldestAt: null,
  abortable: { uploads: 0, bytes: 0 },
};

/** Whether a bucket that is left alone has something that would be cleaned up otherwise. */
function holdsLeftOver({ oldVersions, incompleteUploads: parts }: Bucket, code: LeftAloneCode) {
  const deletable = oldVersions.some(({ isDeletable }) => isDeletable);
  if (code === 'kept') return deletable || parts.abortable.uploads > 0;
  return code === 'locked' && deletable;
}

function rowsOf(scan: Scan, bucket: Bucket): readonly Row[] {
  const code = codeOfBucket(bucket);
  const others = bucket.groups.filter(({ prefix }) => !isRouted(bucket, prefix));
  const routed = bucket.groups.filter(({ prefix }) => isRouted(bucket, prefix));
  const ofPrefix = (prefix: string, groups: readonly HeldGroup[], why: LeftAloneCode | null) =>
    why !== null && movableOf(groups).length > 0
      ? [rowOf(scan, bucket, { prefix, code: why }, groups)]
      : [];
  const rest = () =>
    [...prefixesIn(others)].flatMap(([prefix, groups]) =>
      ofPrefix(prefix, groups, codeOfPrefix(bucket, prefix)),
    );
  const whole = (why: LeftAloneCode) =>
    movableOf(others).length > 0 || holdsLeftOver(bucket, why)
      ? [rowOf(scan, bucket, { prefix: null, code: why }, others)]
      : [];
  return [...ofPrefix(UPLOADS, routed, 'routed'), ...(code === null ? rest() : whole(code))];
}

const MOST_ROWS = 200;

/** The most expensive first. */
export function leftAloneOf(scan: Scan, buckets: readonly Bucket[]): readonly ExpectedRow[] {
  return buckets
    .flatMap((bucket) => rowsOf(scan, bucket))
    .sort(
      (a, b) =>
        b.usd.compare(a.usd) ||
        compareUtf8(a.bucket, b.bucket) ||
        compareUtf8(a.prefix ?? '', b.prefix ?? ''),
    )
    .slice(0, MOST_ROWS)
    .map(({ usd, ...row }) => Object.assign(row, { monthlyCostUsd: usd.toUsd() }));
}
