/** A read of the scan, and what is unknown without the permission for it. */
export interface ScanPermission {
  /** As IAM names it. */
  readonly action: string;
  /** The kind of resource in a statement that allows it. */
  readonly resource: 'account' | 'bucket' | 'object';
  /** What a scan lacks without it; null: no scan is possible without it. */
  readonly withoutIt: string | null;
}

/**
 * Every read of the scan. The session policy, the templates for the customer's role and the
 * coverage lines are derived from this list. Source of the names:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
 */
export const SCAN_PERMISSIONS = {
  listBuckets: { action: 's3:ListAllMyBuckets', resource: 'account', withoutIt: null },
  listObjects: {
    action: 's3:ListBucket',
    resource: 'bucket',
    withoutIt: 'the objects of this bucket are not counted',
  },
  listVersions: {
    action: 's3:ListBucketVersions',
    resource: 'bucket',
    withoutIt: 'old versions and delete markers are not counted',
  },
  getVersioning: {
    action: 's3:GetBucketVersioning',
    resource: 'bucket',
    withoutIt: 'whether old versions are kept is unknown; they are not counted',
  },
  getLifecycle: {
    action: 's3:GetLifecycleConfiguration',
    resource: 'bucket',
    withoutIt:
      'whether lifecycle rules clean up or expire is not known; nothing counts as left over or expiring',
  },
  getTagging: {
    action: 's3:GetBucketTagging',
    resource: 'bucket',
    withoutIt: 'whether the bucket is tagged to be kept is not known; it counts as not tagged',
  },
  getObjectLock: {
    action: 's3:GetBucketObjectLockConfiguration',
    resource: 'bucket',
    withoutIt: 'whether Object Lock is enabled is not known; it counts as not enabled',
  },
  getReplication: {
    action: 's3:GetReplicationConfiguration',
    resource: 'bucket',
    withoutIt: 'whether the bucket is replicated is not known; it counts as not replicated',
  },
  getNotification: {
    action: 's3:GetBucketNotification',
    resource: 'bucket',
    withoutIt: 'whether the bucket sends events is not known; it counts as sending none',
  },
  getWebsite: {
    action: 's3:GetBucketWebsite',
    resource: 'bucket',
    withoutIt: 'whether the bucket is a website is not known; it counts as none',
  },
  listUploads: {
    action: 's3:ListBucketMultipartUploads',
    resource: 'bucket',
    withoutIt: 'incomplete multipart uploads are not counted',
  },
  listParts: {
    action: 's3:ListMultipartUploadParts',
    resource: 'object',
    withoutIt: 'the bytes of incomplete multipart uploads are not counted',
  },
} as const satisfies Record<string, ScanPermission>;

/**
 * The reads of the bill and of metrics, which are a statement of their own that may be left out.
 * None of them can be narrowed to S3.
 */
export const USAGE_PERMISSIONS = {
  getCost: {
    action: 'ce:GetCostAndUsage',
    resource: 'account',
    withoutIt: 'the bill is not known: S3 is priced by its list prices, and reads are assumed',
  },
  listMetrics: {
    action: 'cloudwatch:ListMetrics',
    resource: 'account',
    withoutIt: 'what CloudWatch measures of reads and tiers is not known',
  },
  getMetricData: {
    action: 'cloudwatch:GetMetricData',
    resource: 'account',
    withoutIt: 'what CloudWatch measures of reads and tiers is not known',
  },
  getMetricsConfiguration: {
    action: 's3:GetMetricsConfiguration',
    resource: 'bucket',
    withoutIt: 'whether its request metrics are of all objects is not known; they are not used',
  },
} as const satisfies Record<string, ScanPermission>;

/**
 * Limits an assumed session to these reads, even if the role allows more. AWS accepts at most 2,048
 * characters.
 */
export function sessionPolicy(): string {
  const actions = [SCAN_PERMISSIONS, USAGE_PERMISSIONS]
    .flatMap((permissions) => Object.values<ScanPermission>(permissions))
    .map(({ action }) => action);
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: actions, Resource: '*' }],
  });
}

const RESOURCES = {
  account: '*',
  bucket: 'arn:aws:s3:::*',
  object: 'arn:aws:s3:::*/*',
} as const;

/** The policy that a customer's role needs for a complete scan, with the bill and the reads. */
export function rolePolicy() {
  return {
    Version: '2012-10-17' as const,
    Statement: [
      ...(['account', 'bucket', 'object'] as const).map((kind) => ({
        Sid: `StorageRoutingScan${kind[0]?.toUpperCase()}${kind.slice(1)}`,
        Effect: 'Allow' as const,
        Action: Object.values(SCAN_PERMISSIONS).flatMap(({ action, resource }) =>
          resource === kind ? [action] : [],
        ),
        Resource: [RESOURCES[kind]],
      })),
      {
        // It may be left out.
        Sid: 'StorageRoutingScanUsage',
        Effect: 'Allow' as const,
        Action: Object.values(USAGE_PERMISSIONS).map(({ action }) => action),
        Resource: ['*'],
      },
    ],
  };
}
