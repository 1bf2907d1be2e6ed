import { createHash } from 'node:crypto';

import { MAX_PUT_BYTES, namesChecksum } from '../signature/payload.ts';
import { isKept, readBody } from '../store/bodies.ts';
import { CUSTOMER_KEY, readEtag, type ObjectVersion } from '../store/version.ts';
import { AwsError } from '../wire/errors.ts';
import { decodeUtf8, percentDecode } from '../wire/request.ts';
import { emptyAnswer, textAnswer, type Answer } from '../wire/response.ts';
import { s3Document } from '../wire/xml.ts';
import { encryptionHeaders, KEPT_HEADERS, readAttributes, versionHeaders } from './attributes.ts';
import type { Call } from './call.ts';
import {
  checkCopyConditions,
  checkReadConditions,
  checkWriteConditions,
  readRange,
  requireRoom,
} from './conditions.ts';
import { formatDate } from './page.ts';

/** The ETag of a body: its MD5, unless it is encrypted with a key of KMS. */
export function etagOfBody(md5: Buffer, { encryption }: Pick<ObjectVersion, 'encryption'>): string {
  if (encryption === 'AES256') return md5.toString('hex');
  return createHash('md5').update('kms').update(md5).digest('hex');
}

/**
 * A bucket with default Object Lock retention demands a digest of each object and part.
 * Source: "Content-MD5", PutObject, Amazon S3 API Reference.
 *
 * @throws AwsError `InvalidRequest`
 */
export function requireDigest({ request, bucket }: Pick<Call, 'request' | 'bucket'>): void {
  if (!(bucket.settings.get('object-lock') ?? '').includes('<DefaultRetention>')) return;
  if (request.headers.has('content-md5') || namesChecksum(request)) return;
  throw new AwsError('InvalidRequest', {
    message:
      'Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock parameters',
  });
}

/** The headers that every write answers. */
export function writtenHeaders(call: Call, version: ObjectVersion): Record<string, string> {
  return {
    ...encryptionHeaders(version),
    ...(call.bucket.versioning === 'Off' ? {} : { 'x-amz-version-id': version.versionId }),
  };
}

/** `PutObject`. */
export async function putObject(call: Call): Promise<Answer> {
  const { request, bucket, key } = call;
  const attributes = readAttributes(request, bucket, call.behaviour);
  if (attributes.tags.length > 0) call.authorize('s3:PutObjectTagging', call);
  requireDigest(call);
  requireRoom(call);
  checkWriteConditions(call);
  const { body, md5, checksum } = await call.receive(bucket.keepBodiesUpToBytes);
  // Another PUT may have completed while this body was received: check again.
  checkWriteConditions(call);
  const etag = etagOfBody(md5, attributes);
  const version = bucket.put(key, { ...attributes, body, etag, checksum }, call.nowMs);
  return emptyAnswer(200, {
    etag: `"${etag}"`,
    ...(checksum === null ? {} : { [checksum.header]: checksum.value }),
    ...writtenHeaders(call, version),
  });
}

/** Finds the version to read. @throws AwsError the code that S3 answers if there is none */
export function findForRead(call: Call, action: string): ObjectVersion {
  const { bucket, key } = call;
  const versionId = call.request.query.get('versionId');
  call.authorize(versionId === undefined ? action : `${action}Version`, call);
  const version = bucket
    .versions(key)
    .find((each) => versionId === undefined || each.versionId === versionId);
  if (version === undefined) {
    // Without s3:ListBucket a missing key answers 403. Source: GetObject, "Permissions".
    if (!call.isAllowed('s3:ListBucket', { bucket, key: '' })) throw new AwsError('AccessDenied');
    if (versionId === undefined) throw new AwsError('NoSuchKey', { details: { Key: key } });
    throw new AwsError('NoSuchVersion', { details: { Key: key, VersionId: versionId } });
  }
  if (!version.isDeleteMarker) return version;
  const headers = { 'x-amz-delete-marker': 'true', 'x-amz-version-id': version.versionId };
  if (versionId === undefined) throw new AwsError('NoSuchKey', { details: { Key: key }, headers });
  throw new AwsError('MethodNotAllowed', { headers: { ...headers, allow: 'DELETE' } });
}

/** @throws AwsError `InvalidObjectState` for an object that must be restored first. */
function refuseArchived({ storageClass }: ObjectVersion): void {
  if (storageClass !== 'GLACIER' && storageClass !== 'DEEP_ARCHIVE') return;
  throw new AwsError('InvalidObjectState', { details: { StorageClass: storageClass } });
}

/** @throws AwsError `InvalidRequest` for an object under its owner's key, which the double never takes. */
function refuseWithoutKey({ encryption }: ObjectVersion): void {
  if (encryption === CUSTOMER_KEY) throw new AwsError('InvalidRequest');
}

/** `GetObject` and `HeadObject`. */
export function getObject(call: Call): Answer {
  const { request, bucket } = call;
  const version = findForRead(call, 's3:GetObject');
  const { body, checksum } = version;
  refuseWithoutKey(version);
  if (request.method === 'GET') refuseArchived(version);
  if (request.query.get('partNumber') !== undefined) {
    throw new AwsError('NotImplemented', { message: 'Reading one part is not implemented' });
  }
  checkReadConditions(request, version);
  const range = readRange(request.headers.get('range'), body.sizeBytes);
  const { start, end } = range ?? { start: 0, end: body.sizeBytes };
  const headers = versionHeaders(version, bucket.versioning !== 'Off');
  for (const name of KEPT_HEADERS) {
    const override = request.query.get(`response-${name}`);
    if (override !== undefined) headers[name] = override;
  }
  headers['content-length'] = String(end - start);
  if (range !== null) headers['content-range'] = `bytes ${start}-${end - 1}/${body.sizeBytes}`;
  const wantsChecksum = request.headers.get('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED';
  if (wantsChecksum && checksum !== null && range === null) {
    headers[checksum.header] = checksum.value;
  }
  const status = range === null ? 200 : 206;
  if (request.method === 'HEAD') return emptyAnswer(status, headers);
  if (!isKept(body, start, end)) {
    throw new AwsError('NotImplemented', { message: 'The bytes of this object were not kept' });
  }
  const read = (sizeBytes: number) => readBody(body, start, start + sizeBytes);
  return { status, headers, body: { sizeBytes: end - start, read } };
}

/** `CopyObject`, within the double; a copy onto itself is taken also if it changes nothing. */
export function copyObject(call: Call): Answer {
  const { request, bucket, key, nowMs } = call;
  const { headers } = request;
  const source = findSource(call);
  refuseArchived(source);
  checkCopyConditions(request, source);
  checkWriteConditions(call);
  if (source.body.sizeBytes > MAX_PUT_BYTES) throw new AwsError('EntityTooLarge');
  const given = readAttributes(request, bucket, call.behaviour);
  const kept = headers.get('x-amz-metadata-directive') === 'REPLACE' ? given : source;
  const { tags } = headers.get('x-amz-tagging-directive') === 'REPLACE' ? given : source;
  const { body, checksum } = source;
  // The copy of a multipart object of up to 5 GiB gets the MD5 of its bytes from S3. Here it keeps
  // the source's: an ETag with a dash is no MD5.
  const etag = readEtag(source);
  const content = { ...given, headers: kept.headers, metadata: kept.metadata, tags };
  const version = bucket.put(key, { ...content, body, etag, checksum }, nowMs);
  const fields = { LastModified: formatDate(version.lastModifiedMs), ETag: `"${etag}"` };
  return textAnswer(s3Document('CopyObjectResult', fields), {
    ...writtenHeaders(call, version),
    ...(source.versionId === 'null' ? {} : { 'x-amz-copy-source-version-id': source.versionId }),
  });
}

function findSource(call: Call): ObjectVersion {
  const header = call.request.headers.get('x-amz-copy-source') ?? '';
  const [, name = '', rawKey = '', versionId] =
    /^\/?([^/]+)\/(.+?)(?:\?versionId=(.+))?$/s.exec(header) ?? [];
  const key = decodeUtf8(percentDecode(rawKey)) ?? '';
  if (key === '') throw new AwsError('InvalidArgument');
  const bucket = call.buckets.get(name);
  if (bucket === undefined) throw new AwsError('NoSuchBucket', { details: { BucketName: name } });
  call.authorize(versionId === undefined ? 's3:GetObject' : 's3:GetObjectVersion', { bucket, key });
  const version = bucket
    .versions(key)
    .find((each) => versionId === undefined || each.versionId === versionId);
  if (version !== undefined && !version.isDeleteMarker) return version;
  throw new AwsError('NoSuchKey', { details: { Key: key } });
}
