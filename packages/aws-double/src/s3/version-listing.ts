import { etagOf, type ObjectVersion } from '../store/version.ts';
import { AwsError } from '../wire/errors.ts';
import { childText, element, parseXml, s3Document, textElement } from '../wire/xml.ts';
import { ownerElement } from './buckets.ts';
import { emptyReply, xmlReply, type BucketCall, type Operation, type Reply } from './call.ts';
import { listedDate, optional } from './listing.ts';
import { readEncoding, readMost, type EncodeKey } from './parameters.ts';
import { groupOf, walkBucket, type ListStart } from './walk.ts';

/** Versioning of a bucket and the listing of all versions. */
export const versionOperations: readonly Operation[] = [
  {
    name: 'ListObjectVersions',
    level: 'bucket',
    method: 'GET',
    query: 'versions',
    action: 's3:ListBucketVersions',
    run: listObjectVersions,
  },
  {
    name: 'GetBucketVersioning',
    level: 'bucket',
    method: 'GET',
    query: 'versioning',
    action: 's3:GetBucketVersioning',
    run: ({ bucket }) =>
      xmlReply(
        s3Document(
          'VersioningConfiguration',
          ...(bucket.versioning === 'Off' ? [] : [textElement('Status', bucket.versioning)]),
        ),
      ),
  },
  {
    name: 'PutBucketVersioning',
    level: 'bucket',
    method: 'PUT',
    query: 'versioning',
    action: 's3:PutBucketVersioning',
    run: putBucketVersioning,
  },
];

async function putBucketVersioning(call: BucketCall): Promise<Reply> {
  const status = childText(parseXml(await call.receiveText()), 'Status');
  if (status !== 'Enabled' && status !== 'Suspended') {
    throw new AwsError(
      'IllegalVersioningConfigurationException',
      'The Versioning element must be specified',
    );
  }
  call.bucket.versioning = status;
  return emptyReply(200);
}

interface ListedVersion {
  readonly key: string;
  readonly version: ObjectVersion;
  readonly isLatest: boolean;
}

interface VersionPage {
  readonly versions: readonly ListedVersion[];
  readonly groups: readonly string[];
  /** The markers of the next page; null: this was the last. */
  readonly next: { readonly key: string; readonly versionId: string } | null;
}

interface VersionPageRequest {
  readonly prefix: string;
  readonly delimiter: string;
  readonly keyMarker: string;
  readonly versionIdMarker: string;
  readonly most: number;
}

function listObjectVersions(call: BucketCall): Reply {
  const { query } = call.request;
  const encode = readEncoding(query);
  const request: VersionPageRequest = {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    keyMarker: query.get('key-marker') ?? '',
    versionIdMarker: query.get('version-id-marker') ?? '',
    most: readMost(query, 'max-keys'),
  };
  if (request.versionIdMarker !== '' && request.keyMarker === '') {
    throw new AwsError(
      'InvalidArgument',
      'A version-id marker cannot be specified without a key marker.',
    );
  }
  const page = takeVersions(call, request);
  const owner = ownerElement(call.bucket.accountId);
  return xmlReply(
    s3Document(
      'ListVersionsResult',
      textElement('Name', call.bucket.name),
      textElement('Prefix', encode(request.prefix)),
      textElement('KeyMarker', encode(request.keyMarker)),
      textElement('VersionIdMarker', request.versionIdMarker),
      ...(page.next === null
        ? []
        : [
            textElement('NextKeyMarker', encode(page.next.key)),
            ...optional('NextVersionIdMarker', page.next.versionId, (id) => id),
          ]),
      textElement('MaxKeys', request.most),
      ...optional('Delimiter', request.delimiter, encode),
      ...optional('EncodingType', query.get('encoding-type'), (type) => type),
      textElement('IsTruncated', page.next !== null),
      ...page.versions.map((listed) => versionElement(listed, owner, encode)),
      ...page.groups.map((group) =>
        element('CommonPrefixes', textElement('Prefix', encode(group))),
      ),
    ),
  );
}

function startOf(request: VersionPageRequest): ListStart {
  const { keyMarker, versionIdMarker, prefix, delimiter } = request;
  if (keyMarker === '') return { kind: 'beginning' };
  if (groupOf(keyMarker, prefix, delimiter) === keyMarker) {
    return { kind: 'past', prefix: keyMarker };
  }
  return { kind: versionIdMarker === '' ? 'after' : 'at', key: keyMarker };
}

function takeVersions(call: BucketCall, request: VersionPageRequest): VersionPage {
  const versions: ListedVersion[] = [];
  const groups: string[] = [];
  let last = { key: request.keyMarker, versionId: request.versionIdMarker };
  if (request.most === 0) return { versions, groups, next: null };
  const start = startOf(request);
  const filter = { ...request, start, visible: (all: readonly ObjectVersion[]) => all.length > 0 };
  for (const item of walkBucket(call.bucket, filter)) {
    const full = (): boolean => versions.length + groups.length === request.most;
    if (item.kind === 'group') {
      if (full()) return { versions, groups, next: last };
      groups.push(item.prefix);
      last = { key: item.prefix, versionId: '' };
      continue;
    }
    // Resume after the marked version; if it was deleted meanwhile, after the key.
    const marked = start.kind === 'at' && item.key === start.key;
    const from = marked ? afterVersion(item.versions, request.versionIdMarker) : 0;
    for (const [at, version] of item.versions.entries()) {
      if (at < from) continue;
      if (full()) return { versions, groups, next: last };
      versions.push({ key: item.key, version, isLatest: at === 0 });
      last = { key: item.key, versionId: version.versionId };
    }
  }
  return { versions, groups, next: null };
}

function afterVersion(versions: readonly ObjectVersion[], versionId: string): number {
  const at = versions.findIndex((version) => version.versionId === versionId);
  return at < 0 ? versions.length : at + 1;
}

function versionElement(listed: ListedVersion, owner: string, encode: EncodeKey): string {
  const { key, version, isLatest } = listed;
  const common = [
    textElement('Key', encode(key)),
    textElement('VersionId', version.versionId),
    textElement('IsLatest', isLatest),
    textElement('LastModified', listedDate(version.lastModifiedMs)),
  ];
  if (version.deleteMarker) return element('DeleteMarker', ...common, owner);
  return element(
    'Version',
    ...common,
    textElement('ETag', `"${etagOf(version)}"`),
    textElement('Size', version.sizeBytes),
    textElement('StorageClass', version.storageClass),
    owner,
  );
}
