import { createHash } from 'node:crypto';

import type { ObjectVersion, StoredChecksum } from '../store/version.ts';
import { isKept, type Body } from '../store/bodies.ts';
import type { UploadedObject } from '../store/uploads.ts';
import { etagOf, needsRestore } from '../store/version.ts';
import { AwsError } from '../wire/errors.ts';
import { readAttributes, RESPONSE_OVERRIDES, versionHeaders } from './attributes.ts';
import { emptyReply, type ObjectCall, type Operation, type Reply } from './call.ts';
import { checkReadConditions, checkWriteConditions, readRange } from './conditions.ts';

/** PUT, GET, HEAD and DELETE of one object. */
export const objectOperations: readonly Operation[] = [
  {
    name: 'PutObject',
    level: 'object',
    method: 'PUT',
    query: null,
    action: 's3:PutObject',
    header: { name: 'x-amz-copy-source', present: false },
    run: putObject,
  },
  { name: 'GetObject', level: 'object', method: 'GET', query: null, action: null, run: getObject },
  {
    name: 'HeadObject',
    level: 'object',
    method: 'HEAD',
    query: null,
    action: null,
    run: headObject,
  },
  {
    name: 'DeleteObject',
    level: 'object',
    method: 'DELETE',
    query: null,
    action: null,
    run: deleteObject,
  },
];

/** The content of a new version. */
export interface NewVersion {
  readonly object: UploadedObject;
  readonly body: Body;
  /** Without quotes. */
  readonly etag: string;
  readonly checksum: StoredChecksum | null;
}

/** Stores a version as the current one and releases the bodies that it replaced. */
export async function storeVersion(call: ObjectCall, made: NewVersion): Promise<ObjectVersion> {
  let stored: ObjectVersion | undefined;
  const replaced = call.bucket.put(call.key, (versionId) => {
    stored = {
      ...made.object,
      versionId,
      deleteMarker: false,
      lastModifiedMs: call.nowMs,
      sizeBytes: made.body.sizeBytes,
      etag: made.etag,
      body: made.body,
      checksum: made.checksum,
    };
    return stored;
  });
  await Promise.all(replaced.map((version) => call.bodies.release(version.body)));
  if (stored === undefined) throw new TypeError('the bucket made no version');
  return stored;
}

/** `x-amz-version-id` where the bucket is versioned. */
export function versionIdHeader(call: ObjectCall, versionId: string): Record<string, string> {
  return call.bucket.versioning === 'Off' ? {} : { 'x-amz-version-id': versionId };
}

async function putObject(call: ObjectCall): Promise<Reply> {
  const object = readAttributes(call.request);
  if (object.tags.length > 0) call.authorize('s3:PutObjectTagging', call);
  checkWriteConditions(call.request, call.bucket.current(call.key));
  const { body, md5, checksum } = await call.receive(call.bucket.keepBodiesUpToBytes);
  // Another PUT may have completed while this body was received: check again.
  try {
    checkWriteConditions(call.request, call.bucket.current(call.key));
  } catch (error) {
    await call.bodies.release(body);
    throw error;
  }
  // The ETag of an object under a KMS key is not the MD5 of its bytes.
  const etag =
    object.encryption === 'AES256' ? md5 : createHash('md5').update('kms').update(md5).digest();
  const version = await storeVersion(call, { object, body, etag: etag.toString('hex'), checksum });
  return emptyReply(200, {
    etag: `"${etagOf(version)}"`,
    'x-amz-server-side-encryption': version.encryption,
    ...(checksum === null ? {} : { [checksum.header]: checksum.value }),
    ...versionIdHeader(call, version.versionId),
  });
}

/** Finds the version to read. @throws AwsError the code that S3 answers if there is none */
export function findForRead(call: ObjectCall, action: string): ObjectVersion {
  const versionId = call.request.query.get('versionId');
  call.authorize(versionId === undefined ? action : `${action}Version`, call);
  const versions = call.bucket.versionsOf(call.key);
  const version =
    versionId === undefined ? versions[0] : versions.find((found) => found.versionId === versionId);
  if (version === undefined) throw missing(call, versionId);
  if (!version.deleteMarker) return version;
  const headers = { 'x-amz-delete-marker': 'true', 'x-amz-version-id': version.versionId };
  if (versionId === undefined) throw noSuchKey(call.key, headers);
  throw new AwsError(
    'MethodNotAllowed',
    'The specified method is not allowed against this resource.',
    { headers: { ...headers, allow: 'DELETE' } },
  );
}

function missing(call: ObjectCall, versionId: string | undefined): AwsError {
  // Without s3:ListBucket a missing key answers 403. Source: GetObject, "Permissions".
  if (!call.isAllowed('s3:ListBucket', { bucket: call.bucket, key: null })) {
    return new AwsError('AccessDenied', 'Access Denied');
  }
  if (versionId === undefined) return noSuchKey(call.key);
  return new AwsError('NoSuchVersion', 'The specified version does not exist.', {
    details: { Key: call.key, VersionId: versionId },
  });
}

/** The error for a missing key. */
export function noSuchKey(key: string, headers: Readonly<Record<string, string>> = {}): AwsError {
  return new AwsError('NoSuchKey', 'The specified key does not exist.', {
    details: { Key: key },
    headers,
  });
}

/** @throws AwsError `InvalidObjectState` for an object that must be restored first. */
export function refuseArchived(version: ObjectVersion): void {
  if (!needsRestore(version.storageClass)) return;
  throw new AwsError(
    'InvalidObjectState',
    "The operation is not valid for the object's storage class",
    { details: { StorageClass: version.storageClass } },
  );
}

function getObject(call: ObjectCall): Reply {
  const version = findForRead(call, 's3:GetObject');
  refuseArchived(version);
  return readReply(call, version);
}

function headObject(call: ObjectCall): Reply {
  return readReply(call, findForRead(call, 's3:GetObject'));
}

function readReply(call: ObjectCall, version: ObjectVersion): Reply {
  const { request } = call;
  if (request.query.has('partNumber')) {
    throw new AwsError('NotImplemented', 'Reading one part is not implemented');
  }
  checkReadConditions(request, version);
  const range = readRange(request.headers.get('range'), version.sizeBytes);
  const { start, end } = range ?? { start: 0, end: version.sizeBytes };
  const headers = versionHeaders(version, call.bucket.versioning !== 'Off');
  for (const name of RESPONSE_OVERRIDES) {
    const override = request.query.get(`response-${name}`);
    if (override !== undefined) headers[name] = override;
  }
  headers['content-length'] = String(end - start);
  if (range !== null) headers['content-range'] = `bytes ${start}-${end - 1}/${version.sizeBytes}`;
  const { checksum } = version;
  const wantsChecksum = request.headers.get('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED';
  if (wantsChecksum && checksum !== null && range === null) {
    headers[checksum.header] = checksum.value;
  }
  const status = range === null ? 200 : 206;
  if (request.method === 'HEAD') return emptyReply(status, headers);
  if (!isKept(version.body, start, end)) {
    throw new AwsError('NotImplemented', 'The bytes of this object were not kept');
  }
  return { status, headers, body: { kind: 'object', body: version.body, start, end } };
}

async function deleteObject(call: ObjectCall): Promise<Reply> {
  const versionId = call.request.query.get('versionId');
  const ifMatch = call.request.headers.get('if-match');
  const current = call.bucket.current(call.key);
  if (ifMatch !== undefined && current !== undefined) checkWriteConditions(call.request, current);
  const deleted = await deleteKey(call, call.key, versionId);
  return emptyReply(204, {
    ...(deleted.versionId === null ? {} : { 'x-amz-version-id': deleted.versionId }),
    ...(deleted.marker ? { 'x-amz-delete-marker': 'true' } : {}),
  });
}

/** The result of deleting a key. */
export interface DeletedKey {
  /** Null if the bucket is not versioned and the request named none. */
  readonly versionId: string | null;
  /** A delete marker was added or removed. */
  readonly marker: boolean;
}

/** Deletes a key or one of its versions; a missing key counts as deleted. */
export async function deleteKey(
  call: Omit<ObjectCall, 'key'>,
  key: string,
  versionId: string | undefined,
): Promise<DeletedKey> {
  const { bucket } = call;
  const action = versionId === undefined ? 's3:DeleteObject' : 's3:DeleteObjectVersion';
  call.authorize(action, { bucket, key });
  const outcome =
    versionId === undefined ? bucket.remove(key, call.nowMs) : bucket.removeVersion(key, versionId);
  await Promise.all(outcome.removed.map((version) => call.bodies.release(version.body)));
  const marker = outcome.version?.deleteMarker ?? false;
  if (versionId !== undefined) return { versionId, marker };
  if (bucket.versioning === 'Off') return { versionId: null, marker: false };
  return { versionId: outcome.version?.versionId ?? null, marker };
}
