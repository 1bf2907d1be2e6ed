import { AwsError } from '../wire/errors.ts';
import { emptyAnswer, textAnswer, type Answer } from '../wire/response.ts';
import { childrenNamed, childText, parseXml, s3Document, type XmlValue } from '../wire/xml.ts';
import type { Call } from './call.ts';
import { checkIfMatch, isHonoured } from './conditions.ts';

const MAX_KEYS = 1000;

/** What deleting a key did. */
interface DeletedKey {
  /** Undefined if the bucket is not versioned and the request named none. */
  readonly versionId: string | undefined;
  /** A delete marker was added or removed. */
  readonly isMarker: boolean;
}

/** `DeleteObject`. */
export function deleteObject(call: Call): Answer {
  const { request, key } = call;
  const ifMatch = request.headers.get('if-match');
  const { versionId, isMarker } = deleteKey(call, key, request.query.get('versionId'), ifMatch);
  return emptyAnswer(204, {
    ...(versionId === undefined ? {} : { 'x-amz-version-id': versionId }),
    ...(isMarker ? { 'x-amz-delete-marker': 'true' } : {}),
  });
}

/**
 * Deletes a key or one of its versions. A missing key counts as deleted, unless an ETag was given: that one must be the
 * current version's, and the caller must be allowed to read it.
 *
 * @throws AwsError `AccessDenied`, `NoSuchKey`, `PreconditionFailed`, `NotImplemented`
 */
function deleteKey(
  { bucket, nowMs, authorize, behaviour }: Call,
  key: string,
  versionId: string | undefined,
  ifMatch: string | undefined,
): DeletedKey {
  const action = versionId === undefined ? 's3:DeleteObject' : 's3:DeleteObjectVersion';
  authorize(action, { bucket, key, ifMatch });
  if (ifMatch !== undefined && isHonoured(behaviour.conditionalDelete, 'If-Match')) {
    authorize('s3:GetObject', { bucket, key });
    checkIfMatch(ifMatch, bucket.current(key));
  }
  const version =
    versionId === undefined ? bucket.remove(key, nowMs) : bucket.removeVersion(key, versionId);
  const isVersioned = bucket.versioning !== 'Off';
  return {
    versionId: versionId ?? (isVersioned ? version?.versionId : undefined),
    isMarker: (versionId !== undefined || isVersioned) && version?.isDeleteMarker === true,
  };
}

/** `DeleteObjects`: up to 1,000 keys. */
export async function deleteObjects(call: Call): Promise<Answer> {
  const hasDigest = [...call.request.headers.keys()].some((name) =>
    /^(?:content-md5|x-amz-trailer|x-amz-checksum-.*)$/.test(name),
  );
  if (!hasDigest) {
    throw new AwsError('InvalidRequest', {
      message: 'Missing required header for this request: Content-MD5',
    });
  }
  const document = parseXml(await call.receiveText());
  const objects = childrenNamed(document, 'Object');
  if (document.name !== 'Delete' || objects.length === 0 || objects.length > MAX_KEYS) {
    throw new AwsError('MalformedXML');
  }
  const Deleted: XmlValue[] = [];
  const Errors: XmlValue[] = [];
  for (const object of objects) {
    const Key = childText(object, 'Key') ?? '';
    const VersionId = childText(object, 'VersionId');
    try {
      const { versionId, isMarker } = deleteKey(call, Key, VersionId, childText(object, 'ETag'));
      const marker = { DeleteMarker: true, DeleteMarkerVersionId: versionId };
      Deleted.push({ Key, VersionId, ...(isMarker ? marker : {}) });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      Errors.push({ Key, VersionId, Code: error.code, Message: error.message });
    }
  }
  const isQuiet = childText(document, 'Quiet') === 'true';
  const result = { Deleted: isQuiet ? undefined : Deleted, Error: Errors };
  return textAnswer(s3Document('DeleteResult', result));
}
