import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { STSClient } from '@aws-sdk/client-sts';

import {
  startAwsDouble,
  type AwsDouble,
  type AwsDoubleOptions,
} from '../../dev/aws-double/index.ts';

/** The user of these tests, who may do everything in the default account. */
export const ADMIN = { accessKeyId: 'AKIAADMINADMINADMIN1', secretAccessKey: 'admin/secret+value' };

/** Starts a double with the admin in it. */
export async function startDouble(options: Partial<AwsDoubleOptions> = {}): Promise<AwsDouble> {
  const dataDirectory = join(tmpdir(), `aws-double-${randomUUID()}`);
  const double = await startAwsDouble({ dataDirectory, ...options });
  double.putUser({ ...ADMIN, userName: 'admin' });
  return double;
}

/** An S3 client of the real SDK, without retries, so that a test sees the first answer. */
export function s3Client(double: AwsDouble, config: S3ClientConfig = {}): S3Client {
  return new S3Client({
    endpoint: double.s3Endpoint,
    region: 'us-east-1',
    credentials: ADMIN,
    forcePathStyle: true,
    maxAttempts: 1,
    ...config,
  });
}

/** An STS client of the real SDK. */
export function stsClient(
  double: AwsDouble,
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } = ADMIN,
): STSClient {
  return new STSClient({
    endpoint: double.stsEndpoint,
    region: 'us-east-1',
    credentials,
    maxAttempts: 1,
  });
}
