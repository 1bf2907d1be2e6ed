import type { StoreBehaviour } from './store/behaviour.ts';

export type { StoreBehaviour } from './store/behaviour.ts';

const all = (name: string): readonly string[] => [`Get${name}`, `Put${name}`, `Delete${name}`];
/** What none of the stores below has. */
const BEYOND_S3_CORE = [
  ...all('BucketOwnershipControls'),
  ...all('PublicAccessBlock'),
  'GetBucketMetricsConfiguration',
];

/** Uncertain where no source is named: the worse case. */
const BUCKET_USE = [
  ...all('BucketReplication'),
  ...all('BucketNotificationConfiguration'),
  ...all('BucketWebsite'),
];

/**
 * Cloudflare R2. Sources, if no other is named: "S3 API compatibility" and "Extensions",
 * https://developers.cloudflare.com/r2/api/s3/api/ and …/extensions/.
 */
export const R2_BEHAVIOUR: StoreBehaviour = {
  region: 'auto',
  // The hints of locations are in R2's own message of the refusal: "The region name 'X' is not valid.
  // Must be one of: wnam, enam, weur, eeur, apac, oc, auto" (users' reports of InvalidRegionName).
  otherRegions: ['', 'us-east-1', 'wnam', 'enam', 'weur', 'eeur', 'apac', 'oc'],
  regionError: 'InvalidRegionName',
  // ListObjectVersions is 501: https://github.com/jikig-ai/soleur/issues/7836. GetBucketVersioning,
  // GetBucketTagging and GetObjectLockConfiguration answer as a new bucket of S3 does:
  // release notes (src/content/release-notes/r2.yaml of cloudflare/cloudflare-docs), 2022-07-20. The
  // table of the compatibility page calls them unimplemented: uncertain.
  versions: 'never',
  // PutObject by "Extensions", completion by the release notes of 2023-08-11.
  conditionalPut: 'honoured',
  // Undocumented, so uncertain: the worse case. Since April 2026 there is
  // x-amz-if-match-last-modified-time (cloudflare/cloudflare-docs#30169), which is not modelled.
  conditionalDelete: 'ignored',
  // https://developers.cloudflare.com/r2/objects/upload-objects/#multipart-upload
  partSizes: 'equal',
  listBuckets: 'whole',
  // https://developers.cloudflare.com/r2/buckets/object-lifecycles/; the id as users report it.
  newBucketSettings: {
    lifecycle:
      '<LifecycleConfiguration><Rule><ID>Default Multipart Abort Rule</ID><Filter><Prefix></Prefix></Filter><Status>Enabled</Status><AbortIncompleteMultipartUpload><DaysAfterInitiation>7</DaysAfterInitiation></AbortIncompleteMultipartUpload></Rule></LifecycleConfiguration>',
  },
  unsupported: [
    ...BEYOND_S3_CORE,
    ...all('ObjectTagging'),
    ...all('BucketPolicy'),
    ...BUCKET_USE,
    'PutObjectLockConfiguration',
    'PutBucketTagging',
    'DeleteBucketTagging',
    'PutBucketEncryption',
    'DeleteBucketEncryption',
  ],
  // "Header 'x-amz-tagging' with value '…' not implemented": openreplay/openreplay#2018. x-amz-acl
  // is no longer rejected by the release notes of 2022-11-30, and unsupported by the table: uncertain.
  refusedHeaders: ['x-amz-tagging'],
  // R2 refuses parameters that it does not know ("… search parameter … not implemented":
  // k3s-io/k3s#8924). That these are among them is inferred from "Extensions": uncertain.
  refusedParameters: ['max-buckets', 'bucket-region'],
};

/** Backblaze B2, in one of its regions. */
export const B2_BEHAVIOUR: StoreBehaviour = {
  // An account has one region: https://www.backblaze.com/apidocs/introduction-to-the-s3-compatible-api.
  // What B2 answers to another one is uncertain.
  region: 'us-west-004',
  // https://www.backblaze.com/docs/cloud-storage-s3-compatible-api-bucket-versions,
  // https://www.backblaze.com/apidocs/s3-get-bucket-versioning, …/s3-delete-object. PutBucketVersioning
  // is not among its calls; its refusal is uncertain.
  versions: 'always',
  // 501: https://github.com/lance-format/lance/issues/5614.
  conditionalPut: 'refused',
  // Undocumented, so uncertain: the worse case.
  conditionalDelete: 'ignored',
  // Ten X-Bz-Info-* headers of b2_upload_file; that the S3 API has the same bound, and how it refuses, is uncertain.
  metadataEntries: 10,
  // https://www.backblaze.com/apidocs/s3-list-buckets
  listBuckets: 'whole',
  // Not in https://www.backblaze.com/docs/cloud-storage-call-the-s3-compatible-api; that the
  // refusal is a 501 is uncertain. Lifecycle rules are supported:
  // https://www.backblaze.com/apidocs/s3-put-lifecycle-configuration.
  unsupported: [
    ...BEYOND_S3_CORE,
    ...all('ObjectTagging'),
    ...all('BucketTagging'),
    ...all('BucketPolicy'),
    ...BUCKET_USE,
  ],
  // "Unsupported header '…' received for this API call": https://github.com/diced/zipline/issues/746,
  // codelitdev/medialit#158. Of checksums uncertain since July 2025: some regions are reported to take them
  // (sathinduga/obsidian-s3-sync-and-backup#84).
  refusedHeaders: [
    'x-amz-checksum-',
    'x-amz-sdk-checksum-',
    'x-amz-trailer',
    'x-amz-tagging',
    // It has no websites: that it refuses the header is uncertain.
    'x-amz-website-redirect-location',
  ],
  refusal: 'InvalidArgument',
};

/** MinIO, community edition. Source, if no other is named: https://docs.min.io/community/minio-object-store/reference/s3-api-compatibility.html */
export const MINIO_BEHAVIOUR: StoreBehaviour = {
  // Without a configured region any name is taken: uncertain.
  region: 'us-east-1',
  otherRegions: 'any',
  // https://github.com/minio/minio/issues/21677
  conditionalDelete: 'ignored',
  listUploads: 'by_key',
  // CORS rules and websites are the server's: https://github.com/minio/minio/issues/15874, `rejectedBucketAPIs` in
  // cmd/api-router.go.
  unsupported: [
    ...BEYOND_S3_CORE,
    'PutBucketCors',
    'DeleteBucketCors',
    'PutBucketWebsite',
    'DeleteBucketWebsite',
  ],
};

/** Storj with keys that the customer encrypts. Source, if no other is named: https://storj.dev/dcs/api/s3/s3-compatibility */
export const STORJ_BEHAVIOUR: StoreBehaviour = {
  // The gateway does not use the region: uncertain.
  region: 'us-east-1',
  otherRegions: 'any',
  // `If-None-Match` by storj/edge#564; `If-Match` is uncertain (storj/storj#7377).
  conditionalPut: 'honoured',
  // Undocumented, so uncertain: the worse case.
  conditionalDelete: 'ignored',
  // https://storj.dev/dcs/buckets/object-listings; the refusal, of projects since December 2025:
  // https://storj.dev/dcs/api/s3/s3-compatibility/storj-vs-self-managed-encryption-s3-compatibility-differences
  listOrder: 'unsorted',
  unsupported: [
    ...BEYOND_S3_CORE,
    'GetBucketLifecycleConfiguration',
    'PutBucketLifecycleConfiguration',
    'DeleteBucketLifecycle',
    ...all('BucketCors'),
    ...all('BucketEncryption'),
    ...all('BucketPolicy'),
    ...BUCKET_USE,
  ],
};
