import type { Bucket } from '../store/bucket.ts';
import { etagOf, type ObjectVersion } from '../store/version.ts';
import { AwsError } from '../wire/errors.ts';
import { decodeUtf8, percentDecode } from '../wire/query.ts';
import { s3Document, textElement } from '../wire/xml.ts';
import { readAttributes } from './attributes.ts';
import { xmlReply, type ObjectCall, type Operation, type Reply } from './call.ts';
import { checkCopyConditions, checkWriteConditions } from './conditions.ts';
import { listedDate } from './listing.ts';
import { MAX_PUT_BYTES } from './payload.ts';
import { noSuchKey, refuseArchived, storeVersion, versionIdHeader } from './objects.ts';

/** Server-side copies. */
export const copyOperations: readonly Operation[] = [
  {
    name: 'CopyObject',
    level: 'object',
    method: 'PUT',
    query: null,
    action: 's3:PutObject',
    header: { name: 'x-amz-copy-source', present: true },
    run: copyObject,
  },
];

interface CopySource {
  readonly bucket: Bucket;
  readonly key: string;
  readonly version: ObjectVersion;
}

async function copyObject(call: ObjectCall): Promise<Reply> {
  const { headers } = call.request;
  const source = readSource(call);
  refuseArchived(source.version);
  checkCopyConditions(call.request, source.version);
  checkWriteConditions(call.request, call.bucket.current(call.key));
  checkSelfCopy(call, source);
  if (source.version.sizeBytes > MAX_PUT_BYTES) {
    throw new AwsError(
      'InvalidRequest',
      'The specified copy source is larger than the maximum allowable size for a copy source: 5368709120',
    );
  }
  const given = readAttributes(call.request);
  const kept = headers.get('x-amz-metadata-directive') === 'REPLACE' ? given : source.version;
  const tags = headers.get('x-amz-tagging-directive') === 'REPLACE' ? given : source.version;
  call.bodies.hold(source.version.body);
  const version = await storeVersion(call, {
    object: {
      storageClass: given.storageClass,
      encryption: given.encryption,
      headers: kept.headers,
      metadata: kept.metadata,
      tags: tags.tags,
    },
    body: source.version.body,
    // The copy of a multipart object of up to 5 GiB gets the MD5 of its bytes from S3. Here it
    // keeps the source's: an ETag with a dash is no MD5.
    etag: etagOf(source.version),
    checksum: source.version.checksum,
  });
  return xmlReply(
    s3Document(
      'CopyObjectResult',
      textElement('LastModified', listedDate(version.lastModifiedMs)),
      textElement('ETag', `"${etagOf(version)}"`),
    ),
    {
      'x-amz-server-side-encryption': version.encryption,
      ...(source.bucket.versioning === 'Off'
        ? {}
        : { 'x-amz-copy-source-version-id': source.version.versionId }),
      ...versionIdHeader(call, version.versionId),
    },
  );
}

function readSource(call: ObjectCall): CopySource {
  const header = call.request.headers.get('x-amz-copy-source') ?? '';
  const match = /^\/?([^/]+)\/(.+?)(?:\?versionId=(.+))?$/s.exec(header);
  const key = decodeUtf8(percentDecode(match?.[2] ?? ''));
  if (match === null || key === null) {
    throw new AwsError('InvalidArgument', 'Invalid copy source object key');
  }
  const [, name = '', , versionId] = match;
  const bucket = call.buckets.get(name);
  if (bucket === undefined) {
    throw new AwsError('NoSuchBucket', 'The specified bucket does not exist', {
      details: { BucketName: name },
    });
  }
  const action = versionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion';
  call.authorize(action, { bucket, key });
  const version =
    versionId === undefined
      ? bucket.current(key)
      : bucket.versionsOf(key).find((found) => found.versionId === versionId);
  if (version === undefined || version.deleteMarker) throw noSuchKey(key);
  return { bucket, key, version };
}

function checkSelfCopy(call: ObjectCall, source: CopySource): void {
  const { headers } = call.request;
  const same = source.bucket.name === call.bucket.name && source.key === call.key;
  const isCurrent = call.bucket.current(call.key) === source.version;
  const changes =
    headers.get('x-amz-metadata-directive') === 'REPLACE' ||
    headers.has('x-amz-storage-class') ||
    headers.has('x-amz-server-side-encryption');
  if (!same || !isCurrent || changes) return;
  throw new AwsError(
    'InvalidRequest',
    "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
  );
}
