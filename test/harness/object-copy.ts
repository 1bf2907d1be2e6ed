import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { createCopyLimits } from '../../copy/copy-limits.ts';
import { CopyError } from '../../copy/copy-error.ts';
import type { ObjectWriteDeps } from '../../copy/types.ts';
import type { UploadWithParts } from '../../adapters/mongo/migrations/migration-uploads.ts';
import { copyObject } from '../../copy/copy-object.ts';
import { createStoreHttp } from '../../adapters/object-store/http-client.ts';
import { createObjectStores } from '../../adapters/object-store/s3-store.ts';
import { createStoreClocks } from '../../adapters/object-store/store-clocks.ts';
import type { AwsDouble } from '../../dev/aws-double/index.ts';
import { unreported } from './progress.ts';
import { toTargetKey } from '../../domain/migrations/copying.ts';
import type { ManifestEntry } from '../../domain/migrations/object-ledger.ts';
import { ADMIN, s3Client, startDouble } from './aws-double.ts';
import { catalogue, endpointsAt } from './catalogue.ts';

export const MIB = 2 ** 20;
const MIGRATION_ID = 'mig_0123456789';
export const SOURCE_BUCKET = 'archive';
export const TARGET_BUCKET = 'vault';
/** Longer than a busy machine keeps a store from answering. */
const IDLE_MS = 20_000;

export type Seeded = NonNullable<Parameters<AwsDouble['seed']>[0]['objects']>[number];

/** Two accounts, and the way from one to the other. */
export type CopyHarness = Awaited<ReturnType<typeof createCopyHarness>>;

export async function createCopyHarness({ idleMs = IDLE_MS } = {}) {
  const [source, target] = await Promise.all([startDouble(), startDouble()]);
  source.putBucket({ name: SOURCE_BUCKET });
  target.putBucket({ name: TARGET_BUCKET });
  const http = createStoreHttp();
  const openAt = (double: AwsDouble, bucketName: string) =>
    createObjectStores({
      http,
      findEndpoint: endpointsAt({ aws: double.s3Endpoint }),
      clocks: createStoreClocks(),
      idleMs,
    })({ provider: 'aws', bucketName, region: 'us-east-1' }, ADMIN);
  const stores = {
    source: openAt(source, SOURCE_BUCKET),
    target: openAt(target, TARGET_BUCKET),
  };
  const limits = unlimited({ bufferedBytes: 64 * MIB });
  const uploads = notedUploads();
  const deps = (overrides: Partial<ObjectWriteDeps> = {}): ObjectWriteDeps => ({
    ...stores,
    limits,
    progress: unreported,
    migrationId: MIGRATION_ID,
    capabilities: {},
    maxParts: 10_000,
    metadata: catalogue.entry('aws').metadata,
    signal: new AbortController().signal,
    uploads,
    sourceReads: UNCOUNTED,
    before: null,
    wait: () => Promise.resolve(),
    ...overrides,
  });
  const given = { source, target, stores, deps, uploads };
  return {
    ...given,
    // For a second opinion.
    sourceClient: s3Client(source),
    targetClient: s3Client(target),
    /** Seeds a source object and returns its manifest entry. */
    async seed(object: Seeded): Promise<ManifestEntry> {
      source.seed({ bucket: SOURCE_BUCKET, objects: [object] });
      const { entries } = await stores.source.list({ prefix: object.key, after: null });
      const found = entries.find(({ key }) => key === object.key) ?? assert.fail(object.key);
      const { key, sizeBytes, etag, lastModified, storageClass } = found;
      return { key, sizeBytes, etag, lastModified, storageClass };
    },
    copy: (entry: ManifestEntry, overrides?: Partial<ObjectWriteDeps>) =>
      copyObject(deps(overrides), entry, toTargetKey(SOURCE_BUCKET, entry.key)),
    async close() {
      http.close();
      await Promise.all([source.close(), target.close()]);
    },
  };
}

/** Uploads as a migration notes them, in memory. */
function notedUploads() {
  const noted = new Map<string, UploadWithParts>();
  const uploads: ObjectWriteDeps['uploads'] = {
    async note(upload) {
      noted.set(upload.uploadId, { ...upload, parts: [] });
    },
    async notePart(uploadId, part) {
      const upload = noted.get(uploadId);
      if (upload) noted.set(uploadId, { ...upload, parts: [...upload.parts, part] });
    },
    ofKey: async (key) => [...noted.values()].filter(({ targetKey }) => targetKey === key),
    async remove(uploadId) {
      noted.delete(uploadId);
    },
  };
  return { ...uploads, all: (): readonly UploadWithParts[] => [...noted.values()] };
}

const UNCOUNTED: ObjectWriteDeps['sourceReads'] = {
  begin: () => Promise.resolve({ add: () => undefined, close: () => undefined }),
};

/** Limits of memory only. */
export const unlimited = ({ bufferedBytes }: { bufferedBytes: number }) =>
  createCopyLimits({
    maxBytesPerSecond: Number.POSITIVE_INFINITY,
    maxRequestsPerSecond: Number.POSITIVE_INFINITY,
    bufferedBytes,
    now: () => performance.now(),
    wait: () => Promise.resolve(),
  });

/** The SHA-256 of an object, read by the official client. */
async function sha256At(client: S3Client, bucket: string, key: string): Promise<string> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  const hash = createHash('sha256');
  for await (const chunk of Body as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}

/** That the source's bytes are at the target, and what the target holds beside them. */
export async function isAtTarget(harness: CopyHarness, entry: ManifestEntry, sha256: string) {
  const key = toTargetKey(SOURCE_BUCKET, entry.key);
  assert.equal(await sha256At(harness.sourceClient, SOURCE_BUCKET, entry.key), sha256);
  assert.equal(await sha256At(harness.targetClient, TARGET_BUCKET, key), sha256);
  const command = new HeadObjectCommand({ Bucket: TARGET_BUCKET, Key: key });
  const head = await harness.targetClient.send(command);
  assert.equal(head.ContentLength, entry.sizeBytes);
  assert.equal(head.Metadata?.['src-etag'], entry.etag);
  assert.equal(head.Metadata['src-last-modified'], entry.lastModified);
  assert.equal(head.Metadata['migration-id'], MIGRATION_ID);
  return head;
}

/** That nothing of an object is at the target: no bytes, and no upload but those that are noted, which are aborted. */
export async function nothingIsLeft(harness: CopyHarness): Promise<void> {
  const Bucket = TARGET_BUCKET;
  for (const { targetKey, uploadId } of harness.uploads.all()) {
    await harness.stores.target.abortUpload(targetKey, uploadId);
    await harness.uploads.remove(uploadId);
  }
  const uploads = await harness.targetClient.send(new ListMultipartUploadsCommand({ Bucket }));
  assert.deepEqual(uploads.Uploads ?? [], []);
  const objects = await harness.targetClient.send(new ListObjectsV2Command({ Bucket }));
  assert.deepEqual(
    (objects.Contents ?? []).map(({ Key }) => Key),
    [],
  );
}

export async function copyErrorOf(copy: Promise<unknown>): Promise<CopyError> {
  const error: unknown = await copy.then(
    () => assert.fail('it was copied'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof CopyError, String(error));
  return error;
}
