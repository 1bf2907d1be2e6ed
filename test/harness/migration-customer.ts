import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { WorkflowFailedError } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { createAccessKey } from '../../dev/parts/cloud-account.ts';
import type { Stack } from '../../dev/stack.ts';
import type { Migration, ReportedObject } from '../../sdk/src/index.ts';
import { migrationWorkflowId } from '../../messages/names.ts';
import type { IsolatedService } from '../servers.ts';
import { createCloudCustomer, type CloudCustomer } from './cloud-customer.ts';
import { eventually } from './customer.ts';
import { openTemporalClient } from './temporal.ts';

type SeedObject = NonNullable<Parameters<CloudCustomer['double']['seed']>[0]['objects']>[number];
type Fault = Parameters<CloudCustomer['double']['addFault']>[0];
/** A fault of the bucket at one side of a move. */
export type SideFault = Omit<Fault, 'bucket'> & { readonly side: 'source' | 'target' };

/**
 * A customer whose source and target buckets are both in the AWS double, which can inject faults. A bill shows that the
 * source is read from the internet, so that its move pays.
 */
export type MigrationCustomer = Awaited<ReturnType<typeof createMigrationCustomer>>;

const SOURCE_REGION = 'us-east-1';
/** A region name that is valid at AWS and at Backblaze. */
export const TARGET_REGION = 'us-west-2';
const POLL_MS = 100;
const MAX_APPROVALS = 4;
const LAST_MODIFIED = '2026-11-01T00:00:00Z';
/** Of bytes, or of parts. */
const MD5_ETAG = /^"[0-9a-f]{32}(?:-\d+)?"$/;

/** @param account of a user who logs in; default: a new one */
export async function createMigrationCustomer(stack: Stack, baseUrl: string, account?: string) {
  const cloudCustomer = await createCloudCustomer(stack, baseUrl, [], account);
  const { client, double, awsAccount: accountId } = cloudCustomer;
  cloudCustomer.readFromInternet();
  /** The keys of the `aws` store, and of the target. */
  const keys = { source: createAccessKey(), target: createAccessKey() };
  const owner = createAccessKey();
  for (const user of [keys.source, keys.target, owner]) double.putUser({ ...user, accountId });
  const places = {
    source: { bucketName: cloudCustomer.bucket('source', SOURCE_REGION), region: SOURCE_REGION },
    target: { bucketName: cloudCustomer.bucket('target', TARGET_REGION), region: TARGET_REGION },
  };
  await client.providers.save({ provider: 'aws', ...keys.source, ...places.source });
  await client.providers.save({ provider: 'b2', ...keys.target, ...places.target });
  /** The bucket that is moved, and that of the store that it is moved to. */
  const [source, target] = [places.source.bucketName, places.target.bucketName];
  const s3In = (region: string) =>
    new S3Client({
      endpoint: double.s3Endpoint,
      forcePathStyle: true,
      region,
      credentials: owner,
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  const clients = { source: s3In(SOURCE_REGION), target: s3In(TARGET_REGION) };
  /** The official client for a bucket, with the rights of its owner. */
  const s3For = (bucket: string): S3Client => (bucket === source ? clients.source : clients.target);
  /** Scans, and returns the one recommended move. */
  const recommend = async () => {
    const { recommendations } = await cloudCustomer.scan();
    const moves = recommendations.filter(({ kind }) => kind === 'move');
    assert.equal(moves.length, 1, JSON.stringify(recommendations));
    return moves[0] ?? assert.fail();
  };
  /**
   * Approves the move to the target; the id of the migration. The target is in this process, which other tests keep busy:
   * an approval that it does not answer in time is repeated.
   */
  const approve = async (recommendationId: string, tries = MAX_APPROVALS): Promise<string> => {
    try {
      const approval = { targetProvider: 'b2' } as const;
      return (await client.migrations.approve(recommendationId, approval)).migrationId;
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      const isLate = code === 'provider_not_usable' && message.includes('did not answer in time');
      if (!isLate || tries === 1) throw error;
      return await approve(recommendationId, tries - 1);
    }
  };

  const given = { source, target, keys, s3For, recommend, approve };
  return {
    ...cloudCustomer,
    ...given,
    /** Seeds objects into the source, older than the scan. */
    put: (objects: readonly SeedObject[]) =>
      double.seed({
        bucket: source,
        objects: objects.map((object) => ({ lastModified: LAST_MODIFIED, ...object })),
      }),
    /** Scans and approves; the id of the migration. */
    move: async () => await approve((await recommend()).recommendationId),
    addFaults(faults: readonly SideFault[]) {
      for (const { side, ...fault } of faults)
        double.addFault({ ...fault, bucket: places[side].bucketName });
    },
    /** Writes an object with the rights of its bucket's owner, as others do beside the service. */
    async write(Bucket: string, Key: string, Body: string, Metadata = {}) {
      await s3For(Bucket).send(new PutObjectCommand({ Bucket, Key, Body, Metadata }));
    },
    async remove(Bucket: string, Key: string) {
      await s3For(Bucket).send(new DeleteObjectCommand({ Bucket, Key }));
    },
    migrated: (migrationId: string, pollMs = POLL_MS): Promise<Migration> =>
      client.migrations.waitFor(migrationId, { pollMs }),
    async report(migrationId: string) {
      const lines: ReportedObject[] = [];
      for await (const line of client.migrations.report(migrationId))
        if ('key' in line) lines.push(line);
      return lines;
    },
    /**
     * SHA-256 of every object of a bucket, by key, read with the official SDK: once where their ETags are equal, which
     * the double makes of the bytes that it received. One that is deleted meanwhile is left out.
     */
    async hashes(bucket: string) {
      const s3 = s3For(bucket);
      const [found, known] = [new Map<string, string>(), new Map<string, string>()];
      for await (const page of paginateListObjectsV2({ client: s3 }, { Bucket: bucket }))
        for (const { Key = '', ETag = '', StorageClass } of page.Contents ?? []) {
          const content = MD5_ETAG.test(ETag) ? `${ETag} ${StorageClass}` : Key;
          const hash = known.get(content) ?? (await hashOf(s3, bucket, Key));
          if (hash === undefined) continue;
          known.set(content, hash);
          found.set(Key, hash);
        }
      return found;
    },
    /** The workflow history of a migration as JSON. */
    async history(recommendationId: string): Promise<unknown> {
      const temporal = await openTemporalClient(stack);
      const handle = temporal.workflow.getHandle(migrationWorkflowId(recommendationId));
      await handle.result().catch(ifCancelled);
      const history = await handle.fetchHistory();
      await temporal.connection.close();
      return JSON.parse(historyToJSON(history));
    },
    /** Number of incomplete multipart uploads at the target. */
    async leftovers() {
      const found = await s3For(target).send(new ListMultipartUploadsCommand({ Bucket: target }));
      return found.Uploads?.length ?? 0;
    },
  };
}

/** What a suite of migrations runs on; `migrating` collects the customers whose invariants are checked. */
export interface MigrationSuite extends IsolatedService {
  readonly migrating: MigrationCustomer[];
}

export interface MoveOptions {
  /** Of the source: objects, or how many of 70 KB each. */
  readonly objects: number | readonly SeedObject[];
  /** From the scan on. */
  readonly faults?: readonly SideFault[];
}

/** A move that was recommended, and one that was approved too. */
export type RecommendedMove = Awaited<ReturnType<typeof recommendedMove>>;
export type ApprovedMove = Awaited<ReturnType<typeof migrationOf>>;

/** A new customer with these objects, to whom a move of them was recommended. */
export async function recommendedMove(
  { stack, service, migrating }: MigrationSuite,
  { objects, faults = [] }: MoveOptions,
) {
  const customer = await createMigrationCustomer(stack, service.baseUrl);
  migrating.push(customer);
  customer.put(typeof objects === 'number' ? objectsOf(objects) : objects);
  const { recommendationId } = await customer.recommend();
  customer.addFaults(faults);
  return { customer, recommendationId };
}

/** The same, where the customer has approved the move. */
export async function migrationOf(suite: MigrationSuite, options: MoveOptions) {
  const move = await recommendedMove(suite, options);
  return { ...move, migrationId: await move.customer.approve(move.recommendationId) };
}

/** Waits until more than so many objects are copied. */
export async function untilCopied(
  { customer, migrationId }: Pick<ApprovedMove, 'customer' | 'migrationId'>,
  moreThan = 0,
): Promise<void> {
  await eventually(`more than ${moreThan} objects are copied`, async () => {
    const { progress } = await customer.client.migrations.get(migrationId);
    return progress.objectsCopied > moreThan;
  });
}

/** Objects of the keys `o/0000`, `o/0001` and so on. */
export function objectsOf(
  count: number,
  sizeOf: (n: number) => number = () => 70_000,
): SeedObject[] {
  return Array.from({ length: count }, (_unused, n) => ({
    key: `o/${String(n).padStart(4, '0')}`,
    size: sizeOf(n),
    seed: `${n % 10}`,
  }));
}

/** Of an archived object: that it is one; undefined if there is none. */
async function hashOf(s3: S3Client, Bucket: string, Key: string): Promise<string | undefined> {
  try {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    const hash = createHash('sha256');
    for await (const chunk of Body as AsyncIterable<Uint8Array>) hash.update(chunk);
    return hash.digest('hex');
  } catch (error) {
    if ((error as Error).name === 'InvalidObjectState') return 'archived';
    if ((error as Error).name === 'NoSuchKey') return undefined;
    throw error;
  }
}

/**
 * Asserts what holds after every migration: each object that the object ledger calls copied or skipped is at the
 * target, byte for byte; its totals equal those of the status; no incomplete upload and no test object remains.
 */
export async function assertIdentical(
  customer: MigrationCustomer,
  migration: Migration,
): Promise<void> {
  const [sources, targets, lines, leftovers] = [
    await customer.hashes(customer.source),
    await customer.hashes(customer.target),
    await customer.report(migration.migrationId),
    await customer.leftovers(),
  ];
  const { progress } = migration;
  const count = (outcome: string) => lines.filter((line) => line.outcome === outcome);
  assert.equal(new Set(lines.map(({ key }) => key)).size, lines.length, 'a line per object');
  for (const line of lines) {
    if (line.outcome === 'failed') {
      assert.ok(line.code, JSON.stringify(line));
      continue;
    }
    assert.equal(line.targetKey, `${customer.source}/${line.key}`);
    assert.equal(targets.get(line.targetKey), sources.get(line.key), line.key);
    if (line.outcome === 'copied') assert.equal(line.sha256, sources.get(line.key), line.key);
    else assert.equal(line.sha256, null);
  }
  assert.equal(leftovers, 0, 'multipart uploads were left behind');
  const testObjects = [...targets.keys()].filter((key) => key.includes('canary'));
  assert.deepEqual(testObjects, [], 'the test object of the target was left behind');
  assert.deepEqual(
    [progress.objectsCopied, progress.objectsSkipped, progress.objectsFailed],
    [count('copied').length, count('skipped').length, count('failed').length],
  );
  assert.equal(
    progress.bytesCopied,
    count('copied').reduce((sum, { bytes }) => sum + bytes, 0),
  );
}

function ifCancelled(error: unknown): void {
  if (!(error instanceof WorkflowFailedError && error.cause instanceof CancelledFailure))
    throw error;
}
