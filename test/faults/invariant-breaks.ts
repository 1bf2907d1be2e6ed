import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { openDatabase, Customer, StoredDocument } from '../harness/customer.ts';
import type { Invariant } from '../harness/invariants/invariant.ts';
import type { MigrationCustomer } from '../harness/migration-customer.ts';

/** A service at rest, whose invariants hold. */
export interface World {
  readonly database: Awaited<ReturnType<typeof openDatabase>>;
  /** Of the bucket of `r2`. */
  readonly s3: S3Client;
  readonly bucket: string;
  readonly customer: Customer;
  readonly migrating: MigrationCustomer;
  /** Files in these states. */
  readonly ids: Readonly<Record<'pending' | 'active' | 'deleted', string>>;
  /** Replaces the text of a further log. */
  readonly log: (text: string) => void;
}

/** How to mend a broken invariant, and an id that its violation names. */
export interface Broken {
  readonly id: string;
  readonly mend: () => Promise<unknown>;
}

const HOUR_MS = 3_600_000;

/** Changes of stored data, logs and stores, each of which breaks one invariant. */
export const BREAKS: readonly (readonly [
  Invariant,
  what: string,
  (world: World) => Promise<Broken>,
])[] = [
  [
    'settled',
    'a pending file past its deadline',
    async (world) => {
      const { deadline } = await fileOf(world, world.ids.pending);
      const past = { deadline: new Date(Date.now() - HOUR_MS) };
      const mend = await changing(
        world,
        'files',
        world.ids.pending,
        { $set: past },
        { $set: { deadline } },
      );
      return { id: world.ids.pending, mend };
    },
  ],
  [
    'settled',
    'a file with work that is overdue',
    async (world) => {
      const due = { nextAttemptAt: new Date(Date.now() - 1_000) };
      const back = { $unset: { nextAttemptAt: true } };
      const mend = await changing(world, 'files', world.ids.active, { $set: due }, back);
      return { id: world.ids.active, mend };
    },
  ],
  [
    'usage',
    'a usage record that is missing',
    (world) => removeDocument(world, 'usage', world.ids.active),
  ],
  [
    'usage',
    'a usage record of a file that was never active',
    async (world) => {
      const [record] = await world.database.read('usage', { _id: world.ids.active });
      assert.ok(record);
      await collectionOf(world, 'usage').insertOne({ ...record, _id: world.ids.pending });
      return {
        id: world.ids.pending,
        mend: async () => await collectionOf(world, 'usage').deleteOne({ _id: world.ids.pending }),
      };
    },
  ],
  [
    'totals',
    'a total that counts an upload twice',
    async (world) => {
      const { month, accountId } = await periodOf(world);
      const by = (count: number) => ({ $inc: { 'sums.byProvider.r2.uploads': count } });
      const totals = `${accountId}|${month}`;
      return {
        id: accountId,
        mend: await changing(world, 'usageTotals', totals, by(1), by(-1)),
      };
    },
  ],
  ['quota', 'a booking without a file', (world) => changeQuota(world, 1)],
  ['quota', 'a file without a booking', (world) => changeQuota(world, -1)],
  [
    'acknowledged',
    'a file that was announced and is not stored',
    (world) => removeDocument(world, 'files', world.ids.pending),
  ],
  [
    'acknowledged',
    'a completed file that is pending again',
    async (world) => {
      const { completedAt } = await fileOf(world, world.ids.active);
      const mend = await changing(
        world,
        'files',
        world.ids.active,
        { $unset: { completedAt: true } },
        { $set: { completedAt } },
      );
      return { id: world.ids.active, mend };
    },
  ],
  [
    'acknowledged',
    'an active file without its object',
    async (world) => {
      const { objectKey } = await fileOf(world, world.ids.active);
      const target = { Bucket: world.bucket, Key: String(objectKey) };
      await world.s3.send(new DeleteObjectCommand(target));
      const mend = async () =>
        await world.s3.send(new PutObjectCommand({ ...target, Body: Buffer.alloc(8, 'x') }));
      return { id: world.ids.active, mend };
    },
  ],
  [
    'runs',
    'a scan that runs without a workflow',
    async (world) => {
      const _id = randomUUID();
      const { accountId } = world.customer;
      const scan = { _id, accountId, connectionId: _id, status: 'running' };
      await collectionOf(world, 'scans').insertOne(scan);
      return { id: _id, mend: async () => await collectionOf(world, 'scans').deleteOne({ _id }) };
    },
  ],
  [
    'copies',
    'an object that is written three times',
    async (world) => {
      const target = { Bucket: world.migrating.target, Key: 'o/1', Body: 'x' };
      for (let copy = 0; copy < 3; copy += 1)
        await world.migrating.s3For(world.migrating.target).send(new PutObjectCommand(target));
      return { id: 'o/1', mend: async () => world.migrating.double.resetCounters() };
    },
  ],
  [
    'multipart',
    'an upload at a target without a migration',
    async (world) => {
      const target = { Bucket: world.migrating.target, Key: 'o/2' };
      const owner = world.migrating.s3For(world.migrating.target);
      const { UploadId = '' } = await owner.send(new CreateMultipartUploadCommand(target));
      const abort = new AbortMultipartUploadCommand({ ...target, UploadId });
      return { id: UploadId, mend: async () => await owner.send(abort) };
    },
  ],
  [
    'multipart',
    'an upload of a file that is active',
    async (world) => {
      const { objectKey } = await fileOf(world, world.ids.active);
      const target = { Bucket: world.bucket, Key: String(objectKey) };
      const { UploadId = '' } = await world.s3.send(new CreateMultipartUploadCommand(target));
      const abort = new AbortMultipartUploadCommand({ ...target, UploadId });
      return { id: world.ids.active, mend: async () => await world.s3.send(abort) };
    },
  ],
  [
    'privacy',
    'a log with a presigned URL',
    async (world) => {
      world.log('{"url":"https://store.example/x?X-Amz-Signature=00"}');
      return { id: 'a presigned URL', mend: async () => world.log('') };
    },
  ],
  [
    'privacy',
    'a log with an object key',
    async (world) => {
      const { objectKey } = await fileOf(world, world.ids.active);
      world.log(`{"msg":"${String(objectKey)}"}`);
      return { id: 'log: report.txt', mend: async () => world.log('') };
    },
  ],
];

/** A booking without a file, or a file without a booking. */
export async function changeQuota(world: World, uploads: number): Promise<Broken> {
  const { month, accountId } = await periodOf(world);
  const by = (count: number) => ({ $inc: { uploads: count } });
  const mend = await changing(world, 'quota', `${month}/${accountId}`, by(uploads), by(-uploads));
  return { id: accountId, mend };
}

export async function removeDocument(world: World, name: string, _id: string): Promise<Broken> {
  const [document] = await world.database.read(name, { _id });
  assert.ok(document);
  await collectionOf(world, name).deleteOne({ _id });
  return { id: _id, mend: async () => await collectionOf(world, name).insertOne(document) };
}

/** Changes a document; the result changes it back. */
async function changing(
  world: World,
  name: string,
  _id: string,
  change: object,
  back: object,
): Promise<Broken['mend']> {
  const { matchedCount } = await collectionOf(world, name).updateOne({ _id }, change);
  assert.equal(matchedCount, 1);
  return async () => await collectionOf(world, name).updateOne({ _id }, back);
}

function collectionOf({ database }: World, name: string) {
  return database.db.collection<StoredDocument>(name);
}

async function fileOf({ database }: World, fileId: string): Promise<StoredDocument> {
  const [file] = await database.read('files', { _id: fileId });
  assert.ok(file);
  return file;
}

async function periodOf(world: World) {
  const { month } = await fileOf(world, world.ids.active);
  return { month: String(month), accountId: world.customer.accountId };
}
