import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  NotFound,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
  type MultipartUpload,
} from '@aws-sdk/client-s3';
import { endpointOverride, ownEndpoint, storeAccess, type Provider } from './target.ts';
import { exchange, type Answer } from './wire.ts';

export interface Started {
  readonly fileId: string;
  readonly presignedUrl: string;
  readonly provider: Provider;
  readonly savedVsAws: number;
  readonly routingWarning?: string;
  readonly requiredHeaders: Readonly<Record<string, string>>;
  readonly expiresAt: string;
}

/** The answer to an init of an upload in parts, as received. */
export interface StartedParts extends Omit<Started, 'presignedUrl'> {
  readonly multipart: { readonly partSizeBytes: number; readonly partCount: number };
}

/** The stores as their owner sees them, with the owner's credentials. */
const clients = new Map<Provider, S3Client>();

function open(provider: Provider): { client: S3Client; Bucket: string } {
  const access = storeAccess(provider);
  const { accessKeyId, secretAccessKey, region, bucketName } = access;
  const client =
    clients.get(provider) ??
    new S3Client({
      endpoint: endpointOverride(provider) ?? ownEndpoint(access),
      forcePathStyle: true,
      region,
      credentials: { accessKeyId, secretAccessKey },
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  clients.set(provider, client);
  return { client, Bucket: bucketName };
}

export async function objectAt(
  provider: Provider,
  key: string,
): Promise<{ sizeBytes: number; contentType: string | undefined } | undefined> {
  const { client, Bucket } = open(provider);
  try {
    const found = await client.send(new HeadObjectCommand({ Bucket, Key: key }));
    return { sizeBytes: found.ContentLength ?? -1, contentType: found.ContentType };
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

export interface Kept {
  readonly contentType?: string | undefined;
  readonly cacheControl?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export async function writeObject(
  provider: Provider,
  key: string,
  bytes: Buffer,
  kept: Kept = {},
): Promise<void> {
  const { client, Bucket } = open(provider);
  const { contentType: ContentType, cacheControl: CacheControl, metadata: Metadata } = kept;
  const stored = { ContentType, CacheControl, Metadata };
  await client.send(new PutObjectCommand({ Bucket, Key: key, Body: bytes, ...stored }));
}

export async function readObject(
  provider: Provider,
  key: string,
): Promise<Kept & { bytes: Uint8Array }> {
  const { client, Bucket } = open(provider);
  const found = await client.send(new GetObjectCommand({ Bucket, Key: key }));
  return {
    bytes: (await found.Body?.transformToByteArray()) ?? new Uint8Array(0),
    contentType: found.ContentType,
    cacheControl: found.CacheControl,
    metadata: found.Metadata,
  };
}

export async function listUploads(provider: Provider, Prefix: string): Promise<MultipartUpload[]> {
  const { client, Bucket } = open(provider);
  return (await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }))).Uploads ?? [];
}

export async function deleteObject(provider: Provider, key: string): Promise<void> {
  const { client, Bucket } = open(provider);
  await client.send(new DeleteObjectCommand({ Bucket, Key: key }));
}

export async function listKeys(provider: Provider): Promise<string[]> {
  const { client, Bucket } = open(provider);
  const keys: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket }))
    keys.push(...Contents.map(({ Key = '' }) => Key));
  return keys;
}

export function keyOf({ provider, presignedUrl }: Started): string {
  const path = decodeURIComponent(new URL(presignedUrl).pathname).slice(1);
  const bucket = `${storeAccess(provider).bucketName}/`;
  return endpointOverride(provider) === undefined
    ? path.replace(bucket, '')
    : path.slice(bucket.length);
}

export interface Put {
  readonly method?: string;
  /** Replaces the required headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Sends the body chunked, without a length. */
  readonly chunked?: boolean;
}

/** A PUT with exactly these headers, which follows no redirect. */
export function putTo(
  url: string,
  { method = 'PUT', headers = {}, body, chunked }: Put,
): Promise<Answer> {
  const { origin, pathname, search } = new URL(url);
  return exchange(new URL(origin), {
    method,
    path: `${pathname}${search}`,
    headers: { ...headers, ...(chunked ? {} : { 'content-length': String(body.length) }) },
    body: chunked ? [body] : body,
  });
}

/** The PUT as the init answer requires it. */
export async function putAsTold(started: Started, body: Buffer): Promise<void> {
  const answer = await putTo(started.presignedUrl, { headers: started.requiredHeaders, body });
  assert.equal(answer.status, 200, `the store refused a right PUT: ${answer.text}`);
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
