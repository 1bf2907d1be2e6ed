import { createHash } from 'node:crypto';

import type { Body } from '../store/bodies.ts';
import { compareUtf8 } from '../store/keys.ts';
import type { Upload, UploadPart } from '../store/bucket.ts';
import { AwsError } from '../wire/errors.ts';
import { type Answer, emptyAnswer, textAnswer } from '../wire/response.ts';
import {
  childrenNamed,
  childText,
  parseXml,
  s3Document,
  writeFields,
  type XmlNode,
} from '../wire/xml.ts';
import { encryptionHeaders, readAttributes } from './attributes.ts';
import { ownerFields } from './buckets.ts';
import type { Call } from './call.ts';
import { checkWriteConditions, requireRoom } from './conditions.ts';
import { etagOfBody, requireDigest, writtenHeaders } from './objects.ts';
import {
  afterMarker,
  type Entry,
  findGroup,
  formatDate,
  groupEntry,
  type ListQuery,
  pageAnswer,
  readListQuery,
  readMost,
} from './page.ts';

const MIN_PART_BYTES = 5 * 1024 * 1024;
const MAX_PART_NUMBER = 10_000;

/** `CreateMultipartUpload`. */
export async function create(call: Call): Promise<Answer> {
  const { bucket, key } = call;
  const object = readAttributes(call.request, bucket, call.behaviour);
  await call.receiveText();
  const { uploadId } = bucket.uploads.start(key, object, call.nowMs);
  const fields = { Bucket: bucket.name, Key: key, UploadId: uploadId };
  return textAnswer(s3Document('InitiateMultipartUploadResult', fields), {
    ...encryptionHeaders(object),
  });
}

/** @throws AwsError `NoSuchUpload` */
function findUpload({ request, bucket, key }: Call): Upload {
  const uploadId = request.query.get('uploadId') ?? '';
  const upload = bucket.uploads.find(key, uploadId);
  if (upload !== undefined) return upload;
  throw new AwsError('NoSuchUpload', { details: { UploadId: uploadId } });
}

/** `UploadPart`. */
export async function uploadPart(call: Call): Promise<Answer> {
  const upload = findUpload(call);
  const text = call.request.query.get('partNumber') ?? '';
  const partNumber = Number(text);
  if (!/^[0-9]+$/.test(text) || partNumber < 1 || partNumber > MAX_PART_NUMBER) {
    throw new AwsError('InvalidArgument', {
      message: `Part number must be an integer between 1 and ${MAX_PART_NUMBER}, inclusive`,
    });
  }
  requireDigest(call);
  const { body, md5, checksum } = await call.receive(call.bucket.keepBodiesUpToBytes);
  // The upload may have ended while the part was received.
  findUpload(call);
  const etag = etagOfBody(md5, upload.object);
  upload.parts.set(partNumber, { partNumber, lastModifiedMs: call.nowMs, etag, body });
  return emptyAnswer(200, {
    etag: `"${etag}"`,
    ...encryptionHeaders(upload.object),
    ...(checksum === null ? {} : { [checksum.header]: checksum.value }),
  });
}

/** `CompleteMultipartUpload`. */
export async function complete(call: Call): Promise<Answer> {
  const { bucket, key } = call;
  const document = parseXml(await call.receiveText());
  const upload = findUpload(call);
  const parts = chooseParts(document, upload);
  if (call.behaviour.partSizes === 'equal') checkPartSizes(parts);
  requireRoom(call);
  checkWriteConditions(call);
  const md5s = parts.map((part) => Buffer.from(part.etag, 'hex'));
  const md5 = createHash('md5').update(Buffer.concat(md5s)).digest('hex');
  const etag = `${md5}-${parts.length}`;
  const body: Body = {
    kind: 'parts',
    sizeBytes: parts.reduce((sum, part) => sum + part.body.sizeBytes, 0),
    parts: parts.map((part) => part.body),
  };
  bucket.uploads.remove(upload.uploadId);
  const version = bucket.put(key, { ...upload.object, body, etag, checksum: null }, call.nowMs);
  return textAnswer(
    s3Document('CompleteMultipartUploadResult', {
      Location: `/${bucket.name}/${key}`,
      Bucket: bucket.name,
      Key: key,
      ETag: `"${etag}"`,
    }),
    writtenHeaders(call, version),
  );
}

function chooseParts(document: XmlNode, upload: Upload): readonly UploadPart[] {
  const nodes = childrenNamed(document, 'Part');
  if (document.name !== 'CompleteMultipartUpload' || nodes.length === 0) {
    throw new AwsError('MalformedXML');
  }
  const named = nodes.map((node) => ({
    partNumber: Number(childText(node, 'PartNumber')),
    etag: (childText(node, 'ETag') ?? '').replace(/^"(.*)"$/, '$1'),
  }));
  if (named.some(({ partNumber }, at) => !(partNumber > (named[at - 1]?.partNumber ?? 0)))) {
    throw new AwsError('InvalidPartOrder');
  }
  const parts = named.map(({ partNumber, etag }) => {
    const part = upload.parts.get(partNumber);
    if (part?.etag === etag) return part;
    throw new AwsError('InvalidPart', { details: { PartNumber: String(partNumber), ETag: etag } });
  });
  if (parts.slice(0, -1).some(({ body }) => body.sizeBytes < MIN_PART_BYTES)) {
    throw new AwsError('EntityTooSmall', { details: { MinSizeAllowed: String(MIN_PART_BYTES) } });
  }
  return parts;
}

/** @throws AwsError `InvalidPart`, with R2's message, unless all parts have the size of the first but a smaller last one */
function checkPartSizes(parts: readonly UploadPart[]): void {
  const [first = 0, ...others] = parts.map(({ body }) => body.sizeBytes);
  const last = others.pop() ?? 0;
  if (last <= first && others.every((sizeBytes) => sizeBytes === first)) return;
  throw new AwsError('InvalidPart', {
    message: 'All non-trailing parts must have the same length.',
  });
}

/** `AbortMultipartUpload`. */
export function abort(call: Call): Answer {
  call.bucket.uploads.remove(findUpload(call).uploadId);
  return emptyAnswer(204);
}

/** `ListMultipartUploads`: the unfinished ones. */
export function listUploads(call: Call): Answer {
  const { query } = call.request;
  const list = readListQuery(query, 'max-uploads');
  return pageAnswer(
    'ListMultipartUploadsResult',
    list,
    listEntries(call, list),
    (_count, next) => ({
      Bucket: call.bucket.name,
      KeyMarker: list.encode(query.get('key-marker') ?? ''),
      UploadIdMarker: query.get('upload-id-marker') ?? '',
      NextKeyMarker: next && list.encode(next.key),
      NextUploadIdMarker: next?.id,
      MaxUploads: list.most,
    }),
  );
}

function* listEntries(call: Call, list: ListQuery): Generator<Entry> {
  const Owner = ownerFields(call.bucket.accountId);
  const isAfter = afterMarkers(call, list);
  const isByKey = call.behaviour.listUploads === 'by_key';
  let lastGroup: string | null = null;
  for (const upload of call.bucket.uploads.list()) {
    const { key, uploadId, object, initiatedMs } = upload;
    const isMeant = isByKey ? key === list.prefix : key.startsWith(list.prefix);
    if (!isMeant || !isAfter(upload)) continue;
    const group = findGroup(key, list);
    const fields = {
      Key: list.encode(key),
      UploadId: uploadId,
      Initiator: Owner,
      Owner,
      StorageClass: object.storageClass,
      Initiated: formatDate(initiatedMs),
    };
    if (group === null)
      yield { key, id: uploadId, element: 'Upload', content: writeFields(fields) };
    else if (group !== lastGroup) yield groupEntry(group, list);
    lastGroup = group;
  }
}

function afterMarkers({ request, bucket }: Call, list: ListQuery): (upload: Upload) => boolean {
  const key = request.query.get('key-marker') ?? '';
  const uploadId = request.query.get('upload-id-marker') ?? '';
  const marked = bucket.uploads.find(key, uploadId);
  const isAfterKey = afterMarker(key, list);
  return (upload) => {
    if (upload.key !== key || uploadId === '') return isAfterKey(upload.key);
    // Uploads of one key are ordered by start. The start of a marked upload that no longer exists
    // is unknown: order by id then.
    const later = marked === undefined ? 0 : upload.initiatedMs - marked.initiatedMs;
    return later > 0 || (later === 0 && compareUtf8(upload.uploadId, uploadId) > 0);
  };
}

/** `ListParts`. */
export function listParts(call: Call): Answer {
  const { query } = call.request;
  const { uploadId, parts, object } = findUpload(call);
  const marker = Number(query.get('part-number-marker') ?? '0');
  const most = readMost(query, 'max-parts');
  const left = [...parts.values()]
    .filter(({ partNumber }) => partNumber > marker)
    .sort((a, b) => a.partNumber - b.partNumber);
  const page = left.slice(0, most);
  const isTruncated = left.length > page.length;
  return textAnswer(
    s3Document('ListPartsResult', {
      Bucket: call.bucket.name,
      Key: readListQuery(query).encode(call.key),
      UploadId: uploadId,
      Owner: ownerFields(call.bucket.accountId),
      StorageClass: object.storageClass,
      PartNumberMarker: marker,
      NextPartNumberMarker: isTruncated ? (page.at(-1)?.partNumber ?? marker) : undefined,
      MaxParts: most,
      IsTruncated: isTruncated,
      Part: page.map(({ partNumber, lastModifiedMs, etag, body }) => ({
        PartNumber: partNumber,
        LastModified: formatDate(lastModifiedMs),
        ETag: `"${etag}"`,
        Size: body.sizeBytes,
      })),
    }),
  );
}
