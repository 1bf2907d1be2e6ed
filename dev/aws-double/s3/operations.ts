import { AwsError } from '../wire/errors.ts';
import type { WireRequest } from '../wire/request.ts';
import type { Address } from './authorization.ts';
import * as buckets from './buckets.ts';
import { bucket, object, type Operation } from './call.ts';
import { deleteObject, deleteObjects } from './deletes.ts';
import { listObjects, listObjectsV2, listObjectVersions } from './listing.ts';
import * as multipart from './multipart.ts';
import { copyObject, getObject, putObject } from './objects.ts';
import * as settings from './settings.ts';

function refuseUploadPartCopy(): never {
  throw new AwsError('NotImplemented', { message: 'UploadPartCopy is not implemented' });
}

const PUT = 's3:PutObject';
const LIST = 's3:ListBucket';

/** All operations of the double's S3. */
const OPERATIONS: readonly Operation[] = [
  object('PUT', '', 'PutObject', putObject),
  object('PUT', '', 'CopyObject', copyObject, PUT),
  object('GET', '', 'GetObject', getObject, null),
  object('HEAD', '', 'HeadObject', getObject, null),
  object('DELETE', '', 'DeleteObject', deleteObject, null),
  bucket('POST', 'delete', 'DeleteObjects', deleteObjects, null),
  bucket('GET', 'list-type', 'ListObjectsV2', listObjectsV2, LIST),
  bucket('GET', '', 'ListObjects', listObjects, LIST),
  bucket('GET', 'versions', 'ListObjectVersions', listObjectVersions, 's3:ListBucketVersions'),
  object('POST', 'uploads', 'CreateMultipartUpload', multipart.create, PUT),
  object('PUT', 'uploadId', 'UploadPart', multipart.uploadPart, PUT),
  object('PUT', 'uploadId', 'UploadPartCopy', refuseUploadPartCopy, PUT),
  object('POST', 'uploadId', 'CompleteMultipartUpload', multipart.complete, PUT),
  object('DELETE', 'uploadId', 'AbortMultipartUpload', multipart.abort),
  object('GET', 'uploadId', 'ListParts', multipart.listParts, 's3:ListMultipartUploadParts'),
  bucket(
    'GET',
    'uploads',
    'ListMultipartUploads',
    multipart.listUploads,
    's3:ListBucketMultipartUploads',
  ),
  {
    level: 'service',
    method: 'GET',
    query: '',
    name: 'ListBuckets',
    isCopy: false,
    action: 's3:ListAllMyBuckets',
    run: buckets.listBuckets,
  },
  {
    level: 'new-bucket',
    method: 'PUT',
    query: '',
    name: 'CreateBucket',
    isCopy: false,
    action: 's3:CreateBucket',
    run: buckets.createBucket,
  },
  bucket('DELETE', '', 'DeleteBucket', buckets.deleteBucket),
  bucket('HEAD', '', 'HeadBucket', buckets.headBucket, LIST),
  bucket('GET', 'location', 'GetBucketLocation', buckets.getBucketLocation),
  bucket('GET', 'versioning', 'GetBucketVersioning', buckets.getBucketVersioning),
  bucket('PUT', 'versioning', 'PutBucketVersioning', buckets.putBucketVersioning),
  object('GET', 'tagging', 'GetObjectTagging', settings.getObjectTagging, null),
  object('PUT', 'tagging', 'PutObjectTagging', settings.putObjectTagging, null),
  object('DELETE', 'tagging', 'DeleteObjectTagging', settings.deleteObjectTagging, null),
  bucket('GET', 'tagging', 'GetBucketTagging', settings.getBucketTagging),
  bucket('PUT', 'tagging', 'PutBucketTagging', settings.putBucketTagging),
  bucket(
    'DELETE',
    'tagging',
    'DeleteBucketTagging',
    settings.deleteBucketTagging,
    's3:PutBucketTagging',
  ),
  bucket(
    'GET',
    'metrics',
    'GetBucketMetricsConfiguration',
    settings.getMetricsConfiguration,
    's3:GetMetricsConfiguration',
  ),
  ...settings.settingOperations,
];

// Sub-resources that the double does not implement. Unlisted, `?restore` on a PUT would match
// PutObject and overwrite the object.
const FOREIGN =
  'accelerate acl analytics attributes encryptionConfiguration intelligent-tiering inventory legal-hold logging metadataConfiguration metadataTable policyStatus rename renameObject requestPayment restore retention select session torrent';
const KNOWN_QUERIES = new Set([...FOREIGN.split(' '), ...OPERATIONS.map(({ query }) => query)]);

/** Finds the operation of a request; null if the double has none. */
export function matchOperation(request: WireRequest, address: Address): Operation | null {
  const queries = request.query.pairs
    .map(([name]) => name)
    .filter((name) => KNOWN_QUERIES.has(name));
  const isCopy = request.headers.has('x-amz-copy-source');
  const level = address.key === '' ? 'bucket' : 'object';
  const levels = address.bucket === '' ? ['service'] : [level, `new-${level}`];
  return (
    OPERATIONS.find(
      (operation) =>
        operation.method === request.method &&
        levels.includes(operation.level) &&
        (operation.query === '' ? queries.length === 0 : queries.includes(operation.query)) &&
        operation.isCopy === (isCopy && request.method === 'PUT'),
    ) ?? null
  );
}
