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
    purpose: 'to know which rules clean up already',
    withoutIt: 'whether lifecycle rules clean up is not known',
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

/** Of a statement that may be left out. */
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
      {
        Sid: 'StorageRoutingScanUsage',
        Effect: 'Allow',
        Action: USAGE_PERMISSIONS.map(({ action }) => action),
        Resource: ['*'],
      },
    ],
  };
}
