import { randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  PutBucketCorsCommand,
  S3Client,
  type CORSRule,
} from '@aws-sdk/client-s3';
import { toCredentials } from '../../dev/first-account.ts';
import { createAccessKey } from '../../dev/parts/cloud-account.ts';
import type { Stack } from '../../dev/stack.ts';
import { s3CorsRules } from '../../domain/providers/cors.ts';
import type { Provider } from '../../sdk/src/index.ts';

/** A bucket without CORS rules, which a provider can be configured with. */
export async function createOwnBucket(stack: Stack, provider: Provider) {
  const place = { ...toCredentials(provider, stack.environment) };
  if (provider === 'aws') {
    Object.assign(place, createAccessKey());
    stack.cloud?.double.putUser(place);
  }
  place.bucketName = `browser-${randomUUID()}`;
  const endpoint = stack.environment[`PROVIDER_ENDPOINT_${provider.toUpperCase()}`] ?? '';
  const { accessKeyId, secretAccessKey, region } = place;
  const credentials = { accessKeyId, secretAccessKey };
  const s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  await s3.send(new CreateBucketCommand({ Bucket: place.bucketName }));
  return { place, s3, endpoint };
}

/** Lets pages of that address upload; by the rules of the catalogue, if there are no others. */
export async function allowUploads(
  s3: S3Client,
  Bucket: string,
  url: string,
  CORSRules = s3CorsRules(new URL(url).origin) as unknown as CORSRule[],
): Promise<void> {
  await s3.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }));
}
