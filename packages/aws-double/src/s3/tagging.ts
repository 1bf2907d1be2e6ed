import type { Tag } from '../store/version.ts';
import { AwsError } from '../wire/errors.ts';
import { child, childText, element, parseXml, s3Document, textElement } from '../wire/xml.ts';
import { checkTags } from './attributes.ts';
import {
  emptyReply,
  xmlReply,
  type BucketCall,
  type ObjectCall,
  type Operation,
  type Reply,
} from './call.ts';
import { findForRead } from './objects.ts';

/** Tags of objects and of buckets. */
export const taggingOperations: readonly Operation[] = [
  {
    name: 'GetObjectTagging',
    level: 'object',
    method: 'GET',
    query: 'tagging',
    action: 's3:GetObjectTagging',
    run: (call) => xmlReply(taggingDocument(findForRead(call, 's3:GetObjectTagging').tags)),
  },
  {
    name: 'PutObjectTagging',
    level: 'object',
    method: 'PUT',
    query: 'tagging',
    action: 's3:PutObjectTagging',
    run: putObjectTagging,
  },
  {
    name: 'DeleteObjectTagging',
    level: 'object',
    method: 'DELETE',
    query: 'tagging',
    action: 's3:DeleteObjectTagging',
    run: (call) => {
      changeTags(call, []);
      return emptyReply(204);
    },
  },
  {
    name: 'GetBucketTagging',
    level: 'bucket',
    method: 'GET',
    query: 'tagging',
    action: 's3:GetBucketTagging',
    run: getBucketTagging,
  },
  {
    name: 'PutBucketTagging',
    level: 'bucket',
    method: 'PUT',
    query: 'tagging',
    action: 's3:PutBucketTagging',
    run: putBucketTagging,
  },
  {
    name: 'DeleteBucketTagging',
    level: 'bucket',
    method: 'DELETE',
    query: 'tagging',
    action: 's3:PutBucketTagging',
    run: ({ bucket }) => {
      bucket.tags = [];
      return emptyReply(204);
    },
  },
];

const MAX_BUCKET_TAGS = 50;

function taggingDocument(tags: readonly Tag[]): string {
  const elements = tags.map(({ key, value }) =>
    element('Tag', textElement('Key', key), textElement('Value', value)),
  );
  return s3Document('Tagging', element('TagSet', ...elements));
}

async function readTags(call: BucketCall, most?: number): Promise<readonly Tag[]> {
  const set = child(parseXml(await call.receiveText()), 'TagSet');
  const tags = (set?.children ?? []).map((tag) => ({
    key: childText(tag, 'Key') ?? '',
    value: childText(tag, 'Value') ?? '',
  }));
  return checkTags(tags, most);
}

async function putObjectTagging(call: ObjectCall): Promise<Reply> {
  changeTags(call, await readTags(call));
  return emptyReply(200);
}

function changeTags(call: ObjectCall, tags: readonly Tag[]): void {
  const version = findForRead(call, 's3:PutObjectTagging');
  // A generated object is made anew at every look: from here on it is one of its own.
  const tagged = { ...version, tags };
  call.bucket.insert(call.key, tagged);
}

function getBucketTagging({ bucket }: BucketCall): Reply {
  if (bucket.tags.length > 0) return xmlReply(taggingDocument(bucket.tags));
  throw new AwsError('NoSuchTagSet', 'The TagSet does not exist', {
    details: { BucketName: bucket.name },
  });
}

async function putBucketTagging(call: BucketCall): Promise<Reply> {
  call.bucket.tags = await readTags(call, MAX_BUCKET_TAGS);
  return emptyReply(204);
}
