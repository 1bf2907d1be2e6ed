import { compareUtf8 } from '../store/order.ts';
import { sortedParts, type Upload } from '../store/uploads.ts';
import { element, s3Document, textElement } from '../wire/xml.ts';
import { ownerElement } from './buckets.ts';
import { xmlReply, type BucketCall, type ObjectCall, type Operation, type Reply } from './call.ts';
import { listedDate, optional } from './listing.ts';
import { findUpload } from './multipart.ts';
import { readEncoding, readMost } from './parameters.ts';
import { groupOf } from './walk.ts';

/** Listings of incomplete uploads and their parts. */
export const uploadListingOperations: readonly Operation[] = [
  {
    name: 'ListMultipartUploads',
    level: 'bucket',
    method: 'GET',
    query: 'uploads',
    action: 's3:ListBucketMultipartUploads',
    run: listMultipartUploads,
  },
  {
    name: 'ListParts',
    level: 'object',
    method: 'GET',
    query: 'uploadId',
    action: 's3:ListMultipartUploadParts',
    run: listParts,
  },
];

interface UploadPage {
  readonly uploads: readonly Upload[];
  readonly groups: readonly string[];
  /** The markers of the next page; null: this was the last. */
  readonly next: { readonly key: string; readonly uploadId: string } | null;
}

function listMultipartUploads(call: BucketCall): Reply {
  const { query } = call.request;
  const encode = readEncoding(query);
  const page = takeUploads(call);
  const owner = ownerElement(call.bucket.accountId);
  const initiator = owner.replaceAll('Owner>', 'Initiator>');
  return xmlReply(
    s3Document(
      'ListMultipartUploadsResult',
      textElement('Bucket', call.bucket.name),
      textElement('KeyMarker', encode(query.get('key-marker') ?? '')),
      textElement('UploadIdMarker', query.get('upload-id-marker') ?? ''),
      ...(page.next === null
        ? []
        : [
            textElement('NextKeyMarker', encode(page.next.key)),
            ...optional('NextUploadIdMarker', page.next.uploadId, (id) => id),
          ]),
      ...optional('Delimiter', query.get('delimiter'), encode),
      ...optional('EncodingType', query.get('encoding-type'), (type) => type),
      textElement('Prefix', encode(query.get('prefix') ?? '')),
      textElement('MaxUploads', readMost(query, 'max-uploads')),
      textElement('IsTruncated', page.next !== null),
      ...page.uploads.map((upload) =>
        element(
          'Upload',
          textElement('Key', encode(upload.key)),
          textElement('UploadId', upload.uploadId),
          initiator,
          owner,
          textElement('StorageClass', upload.object.storageClass),
          textElement('Initiated', listedDate(upload.initiatedMs)),
        ),
      ),
      ...page.groups.map((group) =>
        element('CommonPrefixes', textElement('Prefix', encode(group))),
      ),
    ),
  );
}

function takeUploads(call: BucketCall): UploadPage {
  const { query } = call.request;
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const most = readMost(query, 'max-uploads');
  const uploads: Upload[] = [];
  const groups: string[] = [];
  let last = { key: '', uploadId: '' };
  const isAfterMarkers = afterMarkers(call, prefix, delimiter);
  for (const upload of call.bucket.uploads.list()) {
    if (!upload.key.startsWith(prefix) || !isAfterMarkers(upload)) continue;
    const group = groupOf(upload.key, prefix, delimiter);
    if (group !== null && group === groups.at(-1)) continue;
    if (uploads.length + groups.length === most) return { uploads, groups, next: last };
    if (group === null) uploads.push(upload);
    else groups.push(group);
    last =
      group === null
        ? { key: upload.key, uploadId: upload.uploadId }
        : { key: group, uploadId: '' };
  }
  return { uploads, groups, next: null };
}

function afterMarkers(
  call: BucketCall,
  prefix: string,
  delimiter: string,
): (upload: Upload) => boolean {
  const { query } = call.request;
  const key = query.get('key-marker') ?? '';
  const uploadId = query.get('upload-id-marker') ?? '';
  const marked = call.bucket.uploads.find(key, uploadId);
  const isGroup = groupOf(key, prefix, delimiter) === key;
  return (upload) => {
    if (key === '') return true;
    if (isGroup && upload.key.startsWith(key)) return false;
    const order = compareUtf8(upload.key, key);
    if (order !== 0) return order > 0;
    if (uploadId === '') return false;
    // Uploads of one key are ordered by start. The start of a marked upload that no longer exists
    // is unknown: order by id then.
    const later = marked === undefined ? 0 : upload.initiatedMs - marked.initiatedMs;
    return later > 0 || (later === 0 && compareUtf8(upload.uploadId, uploadId) > 0);
  };
}

function listParts(call: ObjectCall): Reply {
  const { query } = call.request;
  const upload = findUpload(call);
  const marker = Number(query.get('part-number-marker') ?? '0');
  const most = readMost(query, 'max-parts');
  const left = sortedParts(upload).filter((part) => part.partNumber > marker);
  const page = left.slice(0, most);
  const truncated = left.length > page.length;
  return xmlReply(
    s3Document(
      'ListPartsResult',
      textElement('Bucket', call.bucket.name),
      textElement('Key', readEncoding(query)(call.key)),
      textElement('UploadId', upload.uploadId),
      ownerElement(call.bucket.accountId),
      textElement('StorageClass', upload.object.storageClass),
      textElement('PartNumberMarker', marker),
      ...(truncated
        ? [textElement('NextPartNumberMarker', page.at(-1)?.partNumber ?? marker)]
        : []),
      textElement('MaxParts', most),
      textElement('IsTruncated', truncated),
      ...page.map((part) =>
        element(
          'Part',
          textElement('PartNumber', part.partNumber),
          textElement('LastModified', listedDate(part.lastModifiedMs)),
          textElement('ETag', `"${part.etag}"`),
          textElement('Size', part.body.sizeBytes),
        ),
      ),
    ),
  );
}
