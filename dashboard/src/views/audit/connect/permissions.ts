/** A read of the scan. A test holds these equal to what the service asks for. */
interface Permission {
  readonly action: string;
  readonly resource: 'account' | 'bucket' | 'object';
  readonly purpose: string;
  /** What an audit lacks without it; null: no audit is possible. */
  readonly withoutIt: string | null;
}

export const PERMISSIONS: readonly Permission[] = [
  {
    action: 's3:ListAllMyBuckets',
    resource: 'account',
    purpose: 'to find the buckets and their regions',
    withoutIt: null,
  },
  {
    action: 's3:ListBucket',
    resource: 'bucket',
    purpose: 'to count objects by size, age, storage class and name',
    withoutIt: 'the objects of this bucket are not counted',
  },
  {
    action: 's3:ListBucketVersions',
    resource: 'bucket',
    purpose: 'to count old versions, which are billed too',
    withoutIt: 'old versions and delete markers are not counted',
  },
  {
    action: 's3:GetBucketVersioning',
    resource: 'bucket',
    purpose: 'to know whether a bucket keeps old versions',
    withoutIt: 'whether old versions are kept is unknown; they are not counted',
  },
  {
    action: 's3:GetLifecycleConfiguration',
    resource: 'bucket',
    purpose: 'to know which rules clean up or expire already',
    withoutIt:
      'whether lifecycle rules clean up or expire is not known; nothing counts as left over or expiring',
  },
  {
    action: 's3:GetBucketTagging',
    resource: 'bucket',
    purpose: 'to see whether a tag says storage-routing = keep: such a bucket is left alone',
    withoutIt: 'whether the bucket is tagged to be kept is not known; it counts as not tagged',
  },
  {
    action: 's3:GetBucketObjectLockConfiguration',
    resource: 'bucket',
    purpose: 'to know whether Object Lock is enabled: nothing of such a bucket is moved',
    withoutIt: 'whether Object Lock is enabled is not known; it counts as not enabled',
  },
  {
    action: 's3:GetReplicationConfiguration',
    resource: 'bucket',
    purpose: 'to know whether a bucket is replicated: it is not moved then',
    withoutIt: 'whether the bucket is replicated is not known; it counts as not replicated',
  },
  {
    action: 's3:GetBucketNotification',
    resource: 'bucket',
    purpose: 'to warn that functions, queues or topics are notified of new objects',
    withoutIt: 'whether the bucket sends events is not known; it counts as sending none',
  },
  {
    action: 's3:GetBucketWebsite',
    resource: 'bucket',
    purpose: 'to warn that a bucket is served as a website',
    withoutIt: 'whether the bucket is a website is not known; it counts as none',
  },
  {
    action: 's3:ListBucketMultipartUploads',
    resource: 'bucket',
    purpose: 'to find uploads that never finished',
    withoutIt: 'incomplete multipart uploads are not counted',
  },
  {
    action: 's3:ListMultipartUploadParts',
    resource: 'object',
    purpose: 'to know how large those uploads are',
    withoutIt: 'the bytes of incomplete multipart uploads are not counted',
  },
];

/** The permissions of a statement that may be left out. */
export const USAGE_PERMISSIONS: readonly Permission[] = [
  {
    action: 'ce:GetCostAndUsage',
    resource: 'account',
    purpose:
      'to read the S3 lines of your bill of the last month: your own prices, and what is read. It cannot be narrowed to S3; only S3 is asked for. A page costs 0.01 USD',
    withoutIt: 'the bill is not known: S3 is priced by its list prices, and reads are assumed',
  },
  {
    action: 'cloudwatch:ListMetrics',
    resource: 'account',
    purpose: 'to find buckets whose reads or tiers CloudWatch measures',
    withoutIt: 'what CloudWatch measures of reads and tiers is not known',
  },
  {
    action: 'cloudwatch:GetMetricData',
    resource: 'account',
    purpose: 'to read those metrics. Each costs 0.00001 USD',
    withoutIt: 'what CloudWatch measures of reads and tiers is not known',
  },
  {
    action: 's3:GetMetricsConfiguration',
    resource: 'bucket',
    purpose: 'to know whether they are of the whole bucket',
    withoutIt: 'whether its request metrics are of all objects is not known; they are not used',
  },
];

const RESOURCES = {
  account: '*',
  bucket: 'arn:aws:s3:::*',
  object: 'arn:aws:s3:::*/*',
} as const;

/** What the role allows, as IAM takes it. */
export function permissionsPolicy() {
  return {
    Version: '2012-10-17',
    Statement: [
      ...(['account', 'bucket', 'object'] as const).map((kind) => ({
        Sid: `StorageRoutingScan${kind[0]?.toUpperCase()}${kind.slice(1)}`,
        Effect: 'Allow',
        Action: PERMISSIONS.filter(({ resource }) => resource === kind).map(({ action }) => action),
        Resource: [RESOURCES[kind]],
      })),
      usageStatement(),
    ],
  };
}

/** The statement that lets an audit see the bill and the metrics. */
export function usageStatement() {
  return {
    Sid: 'StorageRoutingScanUsage',
    Effect: 'Allow',
    Action: USAGE_PERMISSIONS.map(({ action }) => action),
    Resource: ['*'],
  };
}
