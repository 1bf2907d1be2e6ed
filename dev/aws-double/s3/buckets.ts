import { createHash } from 'node:crypto';

import { resolveRegion } from '../store/behaviour.ts';
import { createBucket as makeBucket } from '../store/bucket.ts';
import { compareUtf8 } from '../store/keys.ts';
import { AwsError } from '../wire/errors.ts';
import { DEFAULT_REGION, isRegion, parseQuery } from '../wire/request.ts';
import { emptyAnswer, textAnswer, type Answer } from '../wire/response.ts';
import { childText, parseXml, s3Document } from '../wire/xml.ts';
import { wrongRegion } from './authorization.ts';
import type { Call, ServiceCall } from './call.ts';

const MAX_BUCKETS = 10_000;
const NO_QUERY = parseQuery('');
// Source: "General purpose bucket naming rules", Amazon S3 User Guide.
const BUCKET_NAME = /^(?!xn--)(?!\d+\.\d+\.\d+\.\d+$)(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** The owner element of an account. */
export function ownerFields(accountId: string): { ID: string; DisplayName: string } {
  return { ID: createHash('sha256').update(accountId).digest('hex'), DisplayName: accountId };
}

/** `ListBuckets`: the caller's own, by page, prefix and region. */
export function listBuckets(call: ServiceCall): Answer {
  const { request, principal, buckets, behaviour } = call;
  const isWhole = behaviour.listBuckets === 'whole';
  const query = isWhole ? NO_QUERY : request.query;
  const prefix = query.get('prefix') ?? '';
  const after = Buffer.from(query.get('continuation-token') ?? '', 'base64url').toString();
  const most = Number(query.get('max-buckets') ?? MAX_BUCKETS);
  if (!(Number.isInteger(most) && most >= 1 && most <= MAX_BUCKETS)) {
    throw new AwsError('InvalidArgument', {
      message: `Argument max-buckets must be an integer between 1 and ${MAX_BUCKETS}`,
    });
  }
  const found = buckets
    .list()
    .filter(
      ({ accountId, name, region }) =>
        accountId === principal.accountId &&
        name.startsWith(prefix) &&
        region === (query.get('bucket-region') ?? region) &&
        compareUtf8(name, after) > 0,
    );
  const page = found.slice(0, most);
  const last = found.length > page.length ? page.at(-1) : undefined;
  return textAnswer(
    s3Document('ListAllMyBucketsResult', {
      Owner: ownerFields(principal.accountId),
      Buckets: {
        Bucket: page.map(({ name, createdAtMs, region }) => ({
          Name: name,
          CreationDate: new Date(createdAtMs).toISOString(),
          BucketRegion: isWhole ? undefined : region,
          BucketArn: isWhole ? undefined : `arn:aws:s3:::${name}`,
        })),
      },
      Prefix: query.get('prefix'),
      ContinuationToken: last && Buffer.from(last.name).toString('base64url'),
    }),
  );
}

/** `CreateBucket`, in the region of its constraint. */
export async function createBucket(call: ServiceCall): Promise<Answer> {
  const { bucketName: name, principal, behaviour } = call;
  const text = await call.receiveText();
  const constraint = (text === '' ? '' : childText(parseXml(text), 'LocationConstraint')) ?? '';
  const region =
    constraint === ''
      ? (behaviour.region ?? DEFAULT_REGION)
      : (resolveRegion(behaviour, constraint) ?? constraint);
  const details = { BucketName: name };
  if (!BUCKET_NAME.test(name)) throw new AwsError('InvalidBucketName', { details });
  if (call.region !== region) {
    const isRedirected = call.region === DEFAULT_REGION && isRegion(region);
    if (isRedirected) throw wrongRegion('header', call.region, region);
    throw new AwsError('IllegalLocationConstraintException');
  }
  const existing = call.buckets.get(name);
  if (existing !== undefined) {
    const isOwn = existing.accountId === principal.accountId;
    throw new AwsError(isOwn ? 'BucketAlreadyOwnedByYou' : 'BucketAlreadyExists', { details });
  }
  const { accountId } = principal;
  call.buckets.add(makeBucket({ name, region, accountId, createdAtMs: call.nowMs }, behaviour));
  return emptyAnswer(200, { location: `/${name}` });
}

/** `DeleteBucket`. */
export function deleteBucket({ bucket, buckets }: Call): Answer {
  if (bucket.keys().some((key) => bucket.versions(key).length > 0)) {
    throw new AwsError('BucketNotEmpty', { details: { BucketName: bucket.name } });
  }
  buckets.remove(bucket.name);
  return emptyAnswer(204);
}

/** `HeadBucket`. */
export function headBucket({ bucket }: Call): Answer {
  return emptyAnswer(200, { 'x-amz-bucket-region': bucket.region });
}

/** `GetBucketLocation`. */
export function getBucketLocation({ bucket }: Call): Answer {
  // us-east-1 answers an empty element. Source: GetBucketLocation, Amazon S3 API Reference.
  const region = bucket.region === DEFAULT_REGION ? '' : bucket.region;
  return textAnswer(s3Document('LocationConstraint', {}, region));
}

/** `GetBucketVersioning`. */
export function getBucketVersioning({ bucket: { versioning } }: Call): Answer {
  const Status = versioning === 'Off' ? undefined : versioning;
  return textAnswer(s3Document('VersioningConfiguration', { Status }));
}

/** `PutBucketVersioning`. */
export async function putBucketVersioning(call: Call): Promise<Answer> {
  const status = childText(parseXml(await call.receiveText()), 'Status');
  if (status !== 'Enabled' && status !== 'Suspended') {
    throw new AwsError('IllegalVersioningConfigurationException');
  }
  call.bucket.versioning = status;
  return emptyAnswer(200);
}
