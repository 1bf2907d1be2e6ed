import type { Bucket, Buckets } from '../store/bucket.ts';
import { AwsError } from '../wire/errors.ts';
import { unreachable } from '../wire/unreachable.ts';
import type { Address } from './address.ts';
import type { Call, Operation, Reply, Target } from './call.ts';
import { permanentRedirect } from './errors.ts';

// GetBucketLocation works at every endpoint: clients use it to find the right one.
const ANY_REGION: ReadonlySet<string> = new Set(['GetBucketLocation']);

/**
 * Runs an operation after checking bucket, region, owner and permission.
 *
 * @throws AwsError `NoSuchBucket`, `PermanentRedirect`, `AccessDenied`, and what the operation throws
 */
export async function dispatch(call: Call, operation: Operation, address: Address): Promise<Reply> {
  switch (operation.level) {
    case 'service':
      requirePermission(call, operation, null, null);
      return operation.run(call);
    case 'new-bucket': {
      const name = address.bucket ?? '';
      const { accountId } = call.principal;
      requirePermission(call, operation, { name, accountId, settings: new Map() }, null);
      return operation.run(call, name);
    }
    case 'bucket': {
      const bucket = findBucket(call, operation, address);
      requirePermission(call, operation, bucket, null);
      return operation.run({ ...call, bucket });
    }
    case 'object': {
      const bucket = findBucket(call, operation, address);
      const key = address.key ?? '';
      requirePermission(call, operation, bucket, key);
      return operation.run({ ...call, bucket, key });
    }
    default:
      return unreachable(operation);
  }
}

function requirePermission(
  call: Call,
  operation: Operation,
  bucket: Target['bucket'],
  key: string | null,
): void {
  if (operation.action !== null) call.authorize(operation.action, { bucket, key });
}

/** @throws AwsError `NoSuchBucket` */
export function existingBucket(buckets: Buckets, address: Address): Bucket {
  const name = address.bucket ?? '';
  const bucket = buckets.get(name);
  if (bucket === undefined) {
    throw new AwsError('NoSuchBucket', 'The specified bucket does not exist', {
      details: { BucketName: name },
    });
  }
  return bucket;
}

function findBucket(call: Call, operation: Operation, address: Address): Bucket {
  const bucket = existingBucket(call.buckets, address);
  if (bucket.region !== call.region && !ANY_REGION.has(operation.name)) {
    throw permanentRedirect(bucket.name, bucket.region);
  }
  const expectedOwner = call.request.headers.get('x-amz-expected-bucket-owner');
  if (expectedOwner !== undefined && expectedOwner !== bucket.accountId) {
    throw new AwsError('AccessDenied', 'Access Denied');
  }
  return bucket;
}
