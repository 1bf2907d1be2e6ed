import { createHash } from 'node:crypto';

import type { Body } from '../store/bodies.ts';
import type { Upload, UploadPart } from '../store/uploads.ts';
import { AwsError } from '../wire/errors.ts';
import { childText, parseXml, s3Document, textElement, type XmlNode } from '../wire/xml.ts';
import { readAttributes } from './attributes.ts';
import { emptyReply, xmlReply, type ObjectCall, type Operation, type Reply } from './call.ts';
import { checkWriteConditions } from './conditions.ts';
import { storeVersion, versionIdHeader } from './objects.ts';

/** Multipart uploads. */
export const multipartOperations: readonly Operation[] = [
  {
    name: 'CreateMultipartUpload',
    level: 'object',
    method: 'POST',
    query: 'uploads',
    action: 's3:PutObject',
    run: createMultipartUpload,
  },
  {
    name: 'UploadPart',
    level: 'object',
    method: 'PUT',
    query: 'uploadId',
    action: 's3:PutObject',
    header: { name: 'x-amz-copy-source', present: false },
    run: uploadPart,
  },
  {
    name: 'UploadPartCopy',
    level: 'object',
    method: 'PUT',
    query: 'uploadId',
    action: 's3:PutObject',
    header: { name: 'x-amz-copy-source', present: true },
    run: () => {
      throw new AwsError('NotImplemented', 'UploadPartCopy is not implemented');
    },
  },
  {
    name: 'CompleteMultipartUpload',
    level: 'object',
    method: 'POST',
    query: 'uploadId',
    action: 's3:PutObject',
    run: completeMultipartUpload,
  },
  {
    name: 'AbortMultipartUpload',
    level: 'object',
    method: 'DELETE',
    query: 'uploadId',
    action: 's3:AbortMultipartUpload',
    run: abortMultipartUpload,
  },
];

const MIN_PART_BYTES = 5 * 1024 * 1024;
const MAX_PART_NUMBER = 10_000;

async function createMultipartUpload(call: ObjectCall): Promise<Reply> {
  const object = readAttributes(call.request);
  await call.receiveText();
  const upload = call.bucket.uploads.start(call.key, object, call.nowMs);
  return xmlReply(
    s3Document(
      'InitiateMultipartUploadResult',
      textElement('Bucket', call.bucket.name),
      textElement('Key', call.key),
      textElement('UploadId', upload.uploadId),
    ),
    { 'x-amz-server-side-encryption': object.encryption },
  );
}

/** @throws AwsError `NoSuchUpload` */
export function findUpload(call: ObjectCall): Upload {
  const uploadId = call.request.query.get('uploadId') ?? '';
  const upload = call.bucket.uploads.find(call.key, uploadId);
  if (upload !== undefined) return upload;
  throw new AwsError(
    'NoSuchUpload',
    'The specified multipart upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
    { details: { UploadId: uploadId } },
  );
}

async function uploadPart(call: ObjectCall): Promise<Reply> {
  findUpload(call);
  const text = call.request.query.get('partNumber') ?? '';
  const partNumber = Number(text);
  if (!/^[0-9]+$/.test(text) || partNumber < 1 || partNumber > MAX_PART_NUMBER) {
    throw new AwsError(
      'InvalidArgument',
      `Part number must be an integer between 1 and ${MAX_PART_NUMBER}, inclusive`,
    );
  }
  const { body, md5, checksum } = await call.receive(call.bucket.keepBodiesUpToBytes);
  const etag = md5.toString('hex');
  // The upload may have ended while the part was received.
  const upload = await stillOpen(call, body);
  const replaced = upload.parts.get(partNumber);
  upload.parts.set(partNumber, { partNumber, lastModifiedMs: call.nowMs, etag, body });
  if (replaced !== undefined) await call.bodies.release(replaced.body);
  return emptyReply(200, {
    etag: `"${etag}"`,
    'x-amz-server-side-encryption': upload.object.encryption,
    ...(checksum === null ? {} : { [checksum.header]: checksum.value }),
  });
}

async function stillOpen(call: ObjectCall, body: Body): Promise<Upload> {
  try {
    return findUpload(call);
  } catch (error) {
    await call.bodies.release(body);
    throw error;
  }
}

async function completeMultipartUpload(call: ObjectCall): Promise<Reply> {
  const document = parseXml(await call.receiveText());
  const upload = findUpload(call);
  const parts = chooseParts(document, upload);
  checkWriteConditions(call.request, call.bucket.current(call.key));
  const md5s = parts.map((part) => Buffer.from(part.etag, 'hex'));
  const md5 = createHash('md5').update(Buffer.concat(md5s)).digest('hex');
  const body: Body = {
    kind: 'parts',
    sizeBytes: parts.reduce((sum, part) => sum + part.body.sizeBytes, 0),
    parts: parts.map((part) => part.body),
  };
  call.bucket.uploads.remove(upload.uploadId);
  const etag = `${md5}-${parts.length}`;
  const made = { object: upload.object, body, etag, checksum: null };
  const version = await storeVersion(call, made);
  const chosen = new Set(parts);
  const left = [...upload.parts.values()].filter((part) => !chosen.has(part));
  await Promise.all(left.map((part) => call.bodies.release(part.body)));
  return xmlReply(
    s3Document(
      'CompleteMultipartUploadResult',
      textElement('Location', `/${call.bucket.name}/${call.key}`),
      textElement('Bucket', call.bucket.name),
      textElement('Key', call.key),
      textElement('ETag', `"${etag}"`),
    ),
    {
      'x-amz-server-side-encryption': version.encryption,
      ...versionIdHeader(call, version.versionId),
    },
  );
}

function chooseParts(document: XmlNode, upload: Upload): readonly UploadPart[] {
  const named = document.children.filter(({ name }) => name === 'Part');
  if (document.name !== 'CompleteMultipartUpload' || named.length === 0) {
    throw new AwsError(
      'MalformedXML',
      'The XML you provided was not well-formed or did not validate against our published schema',
    );
  }
  const numbers = named.map((node) => Number(childText(node, 'PartNumber')));
  if (numbers.some((number, at) => at > 0 && !(number > (numbers[at - 1] ?? 0)))) {
    throw new AwsError(
      'InvalidPartOrder',
      'The list of parts was not in ascending order. Parts must be ordered by part number.',
    );
  }
  const parts = named.map((node, at) => findPart(upload, numbers[at] ?? 0, node));
  const small = parts.slice(0, -1).find((part) => part.body.sizeBytes < MIN_PART_BYTES);
  if (small !== undefined) throw tooSmall(small);
  return parts;
}

function findPart(upload: Upload, partNumber: number, node: XmlNode): UploadPart {
  const etag = (childText(node, 'ETag') ?? '').replace(/^"(.*)"$/, '$1');
  const part = upload.parts.get(partNumber);
  if (part === undefined || part.etag !== etag) throw invalidPart(upload, partNumber, etag);
  return part;
}

function invalidPart(upload: Upload, partNumber: number, etag: string): AwsError {
  return new AwsError(
    'InvalidPart',
    "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
    { details: { UploadId: upload.uploadId, PartNumber: String(partNumber), ETag: etag } },
  );
}

function tooSmall(part: UploadPart): AwsError {
  return new AwsError(
    'EntityTooSmall',
    'Your proposed upload is smaller than the minimum allowed size',
    {
      details: {
        ProposedSize: String(part.body.sizeBytes),
        MinSizeAllowed: String(MIN_PART_BYTES),
        PartNumber: String(part.partNumber),
        ETag: part.etag,
      },
    },
  );
}

async function abortMultipartUpload(call: ObjectCall): Promise<Reply> {
  const upload = findUpload(call);
  call.bucket.uploads.remove(upload.uploadId);
  await Promise.all([...upload.parts.values()].map((part) => call.bodies.release(part.body)));
  return emptyReply(204);
}
