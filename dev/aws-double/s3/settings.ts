import { readPolicy } from '../identity/policy.ts';
import { checkLifecycleDocument, LIFECYCLE_MINIMUM } from '../store/lifecycle-rules.ts';
import type { Tag } from '../store/version.ts';
import { AwsError, type AwsErrorCode } from '../wire/errors.ts';
import { type Answer, emptyAnswer, textAnswer } from '../wire/response.ts';
import { child, childrenNamed, childText, parseXml, s3Document } from '../wire/xml.ts';
import { checkTags } from './attributes.ts';
import { bucket, type Call, type Operation } from './call.ts';
import { checkCorsDocument } from './cors.ts';
import { findForRead } from './objects.ts';

/** A setting of a bucket: a document that is kept as it came and given back. */
interface Setting {
  readonly query: string;
  /** The operation's name without Get and Put, and without Delete if that has no other. */
  readonly name: string;
  readonly deleteName?: string;
  /** The IAM action without `s3:Get` and `s3:Put`. */
  readonly permission: string;
  /** If DELETE needs another action than PUT; null: there is no DELETE. */
  readonly deletePermission?: string | null;
  /** The name of the document's outermost element. */
  readonly root: string;
  /** What a bucket without it answers; null: an empty document. */
  readonly absent: AwsErrorCode | null;
  /** Refuses what S3 refuses. By default a document of another root. */
  check?(document: string): void;
}

const MINIMUM_HEADER = 'x-amz-transition-default-minimum-object-size';
const DEFAULT_MINIMUM = 'all_storage_classes_128K';

// Names, permissions and codes: Amazon S3 API Reference, the page of each operation.
const SETTINGS: readonly Setting[] = [
  {
    query: 'lifecycle',
    name: 'BucketLifecycleConfiguration',
    deleteName: 'BucketLifecycle',
    permission: 'LifecycleConfiguration',
    root: 'LifecycleConfiguration',
    absent: 'NoSuchLifecycleConfiguration',
    check: checkLifecycleDocument,
  },
  {
    query: 'encryption',
    name: 'BucketEncryption',
    permission: 'EncryptionConfiguration',
    root: 'ServerSideEncryptionConfiguration',
    absent: 'ServerSideEncryptionConfigurationNotFoundError',
  },
  {
    query: 'policy',
    name: 'BucketPolicy',
    permission: 'BucketPolicy',
    deletePermission: 's3:DeleteBucketPolicy',
    root: '',
    absent: 'NoSuchBucketPolicy',
    check(document) {
      if (readPolicy(document) === null) throw new AwsError('MalformedPolicy');
    },
  },
  {
    query: 'cors',
    name: 'BucketCors',
    permission: 'BucketCORS',
    root: 'CORSConfiguration',
    absent: 'NoSuchCORSConfiguration',
    check: checkCorsDocument,
  },
  {
    query: 'ownershipControls',
    name: 'BucketOwnershipControls',
    permission: 'BucketOwnershipControls',
    root: 'OwnershipControls',
    absent: 'OwnershipControlsNotFoundError',
  },
  {
    query: 'publicAccessBlock',
    name: 'PublicAccessBlock',
    permission: 'BucketPublicAccessBlock',
    root: 'PublicAccessBlockConfiguration',
    absent: 'NoSuchPublicAccessBlockConfiguration',
  },
  {
    query: 'object-lock',
    name: 'ObjectLockConfiguration',
    permission: 'BucketObjectLockConfiguration',
    deletePermission: null,
    root: 'ObjectLockConfiguration',
    absent: 'ObjectLockConfigurationNotFoundError',
  },
  {
    query: 'replication',
    name: 'BucketReplication',
    permission: 'ReplicationConfiguration',
    root: 'ReplicationConfiguration',
    absent: 'ReplicationConfigurationNotFoundError',
  },
  {
    query: 'notification',
    name: 'BucketNotificationConfiguration',
    permission: 'BucketNotification',
    deletePermission: null,
    root: 'NotificationConfiguration',
    absent: null,
  },
  {
    query: 'website',
    name: 'BucketWebsite',
    permission: 'BucketWebsite',
    deletePermission: 's3:DeleteBucketWebsite',
    root: 'WebsiteConfiguration',
    absent: 'NoSuchWebsiteConfiguration',
  },
];

/** The operations of the settings. */
export const settingOperations: readonly Operation[] = SETTINGS.flatMap((setting) => {
  const { query, name, permission, deleteName = name } = setting;
  const { deletePermission = `s3:Put${permission}` } = setting;
  const get = (call: Call): Answer => getSetting(call, setting);
  const put = (call: Call): Promise<Answer> => putSetting(call, setting);
  const remove = (call: Call): Answer => {
    call.bucket.settings.delete(query);
    return emptyAnswer(204);
  };
  const operations = [
    bucket('GET', query, `Get${name}`, get, `s3:Get${permission}`),
    bucket('PUT', query, `Put${name}`, put, `s3:Put${permission}`),
  ];
  if (deletePermission !== null)
    operations.push(bucket('DELETE', query, `Delete${deleteName}`, remove, deletePermission));
  return operations;
});

function getSetting(
  { bucket: { settings, name } }: Call,
  { query, root, absent }: Setting,
): Answer {
  const document = settings.get(query);
  if (document === undefined) {
    if (absent === null) return textAnswer(s3Document(root, {}));
    throw new AwsError(absent, { details: { BucketName: name } });
  }
  if (query === 'policy') return textAnswer(document, { 'content-type': 'application/json' });
  const minimum = settings.get(LIFECYCLE_MINIMUM) ?? DEFAULT_MINIMUM;
  return textAnswer(document, query === 'lifecycle' ? { [MINIMUM_HEADER]: minimum } : {});
}

async function putSetting(call: Call, { query, root, check }: Setting): Promise<Answer> {
  const { settings } = call.bucket;
  const document = await call.receiveText();
  if (query !== 'policy' && parseXml(document).name !== root) throw new AwsError('MalformedXML');
  check?.(document);
  if (query === 'lifecycle') {
    // A request without the header sets the default again.
    settings.set(LIFECYCLE_MINIMUM, call.request.headers.get(MINIMUM_HEADER) ?? DEFAULT_MINIMUM);
  }
  settings.set(query, document);
  return emptyAnswer(query === 'policy' ? 204 : 200);
}

/** `GetBucketMetricsConfiguration`. Only the control sets it, as the setting `metrics/<id>`. */
export function getMetricsConfiguration({ request, bucket: { settings } }: Call): Answer {
  const id = request.query.get('id');
  if (id === undefined) throw new AwsError('NotImplemented');
  const document = settings.get(`metrics/${id}`);
  if (document === undefined) throw new AwsError('NoSuchConfiguration');
  return textAnswer(document);
}

const MAX_BUCKET_TAGS = 50;

function tagsAnswer(tags: readonly Tag[]): Answer {
  const Tag = tags.map(({ key, value }) => ({ Key: key, Value: value }));
  return textAnswer(s3Document('Tagging', { TagSet: { Tag } }));
}

async function readTags(call: Call, most?: number): Promise<readonly Tag[]> {
  const document = parseXml(await call.receiveText());
  const set = child(document, 'TagSet') ?? document;
  const tags = childrenNamed(set, 'Tag').map((tag) => ({
    key: childText(tag, 'Key') ?? '',
    value: childText(tag, 'Value') ?? '',
  }));
  return checkTags(tags, most);
}

/** `GetObjectTagging`. */
export function getObjectTagging(call: Call): Answer {
  return tagsAnswer(findForRead(call, 's3:GetObjectTagging').tags);
}

/** `PutObjectTagging`. A generated object is one of its own from here on. */
export async function putObjectTagging(call: Call): Promise<Answer> {
  const version = findForRead(call, 's3:PutObjectTagging');
  call.bucket.insert(call.key, { ...version, tags: await readTags(call) });
  return emptyAnswer(200);
}

/** `DeleteObjectTagging`. */
export function deleteObjectTagging(call: Call): Answer {
  call.bucket.insert(call.key, { ...findForRead(call, 's3:DeleteObjectTagging'), tags: [] });
  return emptyAnswer(204);
}

/** `GetBucketTagging`. */
export function getBucketTagging({ bucket: { tags, name } }: Call): Answer {
  if (tags.length > 0) return tagsAnswer(tags);
  throw new AwsError('NoSuchTagSet', { details: { BucketName: name } });
}

/** `PutBucketTagging`. */
export async function putBucketTagging(call: Call): Promise<Answer> {
  call.bucket.tags = await readTags(call, MAX_BUCKET_TAGS);
  return emptyAnswer(204);
}

/** `DeleteBucketTagging`. */
export function deleteBucketTagging(call: Call): Answer {
  call.bucket.tags = [];
  return emptyAnswer(204);
}
