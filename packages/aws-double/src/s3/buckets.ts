import { createHash } from 'node:crypto';

import { createBucket, type Bucket, type Buckets } from '../store/bucket.ts';
import { compareUtf8 } from '../store/order.ts';
import { AwsError } from '../wire/errors.ts';
import { DEFAULT_REGION } from '../wire/regions.ts';
import { childText, element, parseXml, s3Document, textElement } from '../wire/xml.ts';
import {
  emptyReply,
  xmlReply,
  type BucketCall,
  type Call,
  type Operation,
  type Reply,
} from './call.ts';
import { wrongRegion } from './errors.ts';

/** Operations on buckets. */
export const bucketOperations: readonly Operation[] = [
  {
    name: 'ListBuckets',
    level: 'service',
    method: 'GET',
    query: null,
    action: 's3:ListAllMyBuckets',
    run: listBuckets,
  },
  {
    name: 'CreateBucket',
    level: 'new-bucket',
    method: 'PUT',
    query: null,
    action: 's3:CreateBucket',
    run: putBucket,
  },
  {
    name: 'DeleteBucket',
    level: 'bucket',
    method: 'DELETE',
    query: null,
    action: 's3:DeleteBucket',
    run: deleteBucket,
  },
  {
    name: 'HeadBucket',
    level: 'bucket',
    method: 'HEAD',
    query: null,
    action: 's3:ListBucket',
    run: ({ bucket }) => emptyReply(200, { 'x-amz-bucket-region': bucket.region }),
  },
  {
    name: 'GetBucketLocation',
    level: 'bucket',
    method: 'GET',
    query: 'location',
    action: 's3:GetBucketLocation',
    run: getBucketLocation,
  },
];

const MAX_BUCKETS = 10_000;
// Source: "General purpose bucket naming rules", Amazon S3 User Guide.
const BUCKET_NAME = /^(?!xn--)(?!\d+\.\d+\.\d+\.\d+$)(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** Creates an empty set of buckets. */
export function createBuckets(): Buckets {
  const buckets = new Map<string, Bucket>();
  return {
    get: (name) => buckets.get(name),
    add: (bucket) => void buckets.set(bucket.name, bucket),
    remove: (name) => void buckets.delete(name),
    list: () => [...buckets.values()].sort((a, b) => compareUtf8(a.name, b.name)),
  };
}

/** The owner element of an account. */
export function ownerElement(accountId: string): string {
  const id = createHash('sha256').update(accountId).digest('hex');
  return element('Owner', textElement('ID', id), textElement('DisplayName', accountId));
}

function listBuckets(call: Call): Reply {
  const { query } = call.request;
  const prefix = query.get('prefix') ?? '';
  const region = query.get('bucket-region');
  const after = readToken(query.get('continuation-token'));
  const most = readMaxBuckets(query.get('max-buckets'));
  const found = call.buckets
    .list()
    .filter(
      ({ accountId, name, region: bucketRegion }) =>
        accountId === call.principal.accountId &&
        name.startsWith(prefix) &&
        (region === undefined || region === bucketRegion) &&
        compareUtf8(name, after) > 0,
    );
  const page = found.slice(0, most);
  const last = page.at(-1);
  const token =
    found.length > page.length && last !== undefined
      ? [textElement('ContinuationToken', Buffer.from(last.name).toString('base64url'))]
      : [];
  return xmlReply(
    s3Document(
      'ListAllMyBucketsResult',
      ownerElement(call.principal.accountId),
      element('Buckets', ...page.map(bucketElement)),
      ...(query.has('prefix') ? [textElement('Prefix', prefix)] : []),
      ...token,
    ),
  );
}

function bucketElement(bucket: Bucket): string {
  return element(
    'Bucket',
    textElement('Name', bucket.name),
    textElement('CreationDate', new Date(bucket.createdAtMs).toISOString()),
    textElement('BucketRegion', bucket.region),
    textElement('BucketArn', `arn:aws:s3:::${bucket.name}`),
  );
}

function readToken(token: string | undefined): string {
  return token === undefined ? '' : Buffer.from(token, 'base64url').toString('utf8');
}

function readMaxBuckets(text: string | undefined): number {
  if (text === undefined) return MAX_BUCKETS;
  const most = Number(text);
  if (Number.isInteger(most) && most >= 1 && most <= MAX_BUCKETS) return most;
  throw new AwsError(
    'InvalidArgument',
    `Argument max-buckets must be an integer between 1 and ${MAX_BUCKETS}`,
  );
}

async function putBucket(call: Call, name: string): Promise<Reply> {
  const text = await call.receiveText();
  const document = text === '' ? null : parseXml(text);
  const constraint = document === null ? undefined : childText(document, 'LocationConstraint');
  const region = constraint === undefined || constraint === '' ? DEFAULT_REGION : constraint;
  if (!BUCKET_NAME.test(name)) {
    throw new AwsError('InvalidBucketName', 'The specified bucket is not valid.', {
      details: { BucketName: name },
    });
  }
  checkConstraint(call, constraint, region);
  const existing = call.buckets.get(name);
  if (existing !== undefined) throw taken(existing, call);
  call.buckets.add(
    createBucket({
      name,
      region,
      accountId: call.principal.accountId,
      createdAtMs: call.nowMs,
    }),
  );
  return emptyReply(200, { location: `/${name}` });
}

function checkConstraint(call: Call, constraint: string | undefined, region: string): void {
  if (call.region === region) return;
  if (constraint === undefined) {
    throw new AwsError(
      'IllegalLocationConstraintException',
      'The unspecified location constraint is incompatible for the region specific endpoint this request was sent to.',
    );
  }
  if (call.region === DEFAULT_REGION) throw wrongRegion('header', call.region, region);
  throw new AwsError(
    'IllegalLocationConstraintException',
    `The ${constraint} location constraint is incompatible for the region specific endpoint this request was sent to.`,
  );
}

function taken(existing: Bucket, call: Call): AwsError {
  const details = { BucketName: existing.name };
  if (existing.accountId === call.principal.accountId) {
    return new AwsError(
      'BucketAlreadyOwnedByYou',
      'Your previous request to create the named bucket succeeded and you already own it.',
      { details },
    );
  }
  return new AwsError(
    'BucketAlreadyExists',
    'The requested bucket name is not available. The bucket namespace is shared by all users of the system. Please select a different name and try again.',
    { details },
  );
}

function deleteBucket(call: BucketCall): Reply {
  const { bucket } = call;
  if (!bucket.isEmpty()) {
    throw new AwsError('BucketNotEmpty', 'The bucket you tried to delete is not empty', {
      details: { BucketName: bucket.name },
    });
  }
  call.buckets.remove(bucket.name);
  return emptyReply(204);
}

function getBucketLocation({ bucket }: BucketCall): Reply {
  // us-east-1 answers an empty element. Source: GetBucketLocation, Amazon S3 API Reference.
  const region = bucket.region === DEFAULT_REGION ? '' : bucket.region;
  return xmlReply(
    `<?xml version="1.0" encoding="UTF-8"?>\n<LocationConstraint xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${region}</LocationConstraint>`,
  );
}
