import type { Bucket } from '../store/bucket.ts';
import { AwsError } from '../wire/errors.ts';
import { unreachable } from '../wire/unreachable.ts';
import type { Address } from './address.ts';
import type { Call, Operation, Reply, Target } from './call.ts';
import { permanentRedirect } from './refusal.ts';

// The location of a bucket may be asked for at any endpoint: it is how clients learn the right one.
const ANY_REGION: ReadonlySet<string> = new Set(['GetBucketLocation']);

/**
 * Runs an operation on the bucket it is about, once bucket, region, owner and caller allow it.
 *
 * @throws AwsError `NoSuchBucket`, `PermanentRedirect`, `AccessDenied`, and what the operation throws
 */
export async function dispatch(call: Call, operation: Operation, address: Address): Promise<Reply> {
  switch (operation.level) {
    case 'service':
      demand(call, operation, null, null);
      return operation.run(call);
    case 'new-bucket': {
      const name = address.bucket ?? '';
      const { accountId } = call.principal;
      demand(call, operation, { name, accountId, settings: new Map() }, null);
      return operation.run(call, name);
    }
    case 'bucket': {
      const bucket = findBucket(call, operation, address);
      demand(call, operation, bucket, null);
      return operation.run({ ...call, bucket });
    }
    case 'object': {
      const bucket = findBucket(call, operation, address);
      const key = address.key ?? '';
      demand(call, operation, bucket, key);
      return operation.run({ ...call, bucket, key });
    }
    default:
      return unreachable(operation);
  }
}

function demand(
  call: Call,
  operation: Operation,
  bucket: Target['bucket'],
  key: string | null,
): void {
  if (operation.action !== null) call.authorize(operation.action, { bucket, key });
}

function findBucket(call: Call, operation: Operation, address: Address): Bucket {
  const name = address.bucket ?? '';
  const bucket = call.buckets.get(name);
  if (bucket === undefined) {
    throw new AwsError('NoSuchBucket', 'The specified bucket does not exist', {
      details: { BucketName: name },
    });
  }
  if (bucket.region !== call.region && !ANY_REGION.has(operation.name)) {
    throw permanentRedirect(name, bucket.region);
  }
  const expectedOwner = call.request.headers.get('x-amz-expected-bucket-owner');
  if (expectedOwner !== undefined && expectedOwner !== bucket.accountId) {
    throw new AwsError('AccessDenied', 'Access Denied');
  }
  return bucket;
}
