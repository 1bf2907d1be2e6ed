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
import type { Invariant, OwnedBucket } from '../harness/invariants/invariant.ts';
import type { MigrationCustomer } from '../harness/migration-customer.ts';

/** A service at rest, whose invariants hold. */
export interface World {
  readonly database: Awaited<ReturnType<typeof openDatabase>>;
  /** Of the bucket of `r2`. */
  readonly s3: S3Client;
  readonly bucket: string;
  /** Where none of the files is. */
  readonly elsewhere: OwnedBucket;
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
  readonly mend: () => unknown;
}

type Break = readonly [Invariant, what: string, (world: World) => Promise<Broken>];

const HOUR_MS = 3_600_000;
const past = (ms: number) => new Date(Date.now() - ms);

/** Changes of stored data, logs and stores, each of which breaks one invariant. */
export const BREAKS: readonly Break[] = [
  [
    'settled',
    'a pending file past its deadline',
    (world) =>
      alter(world, 'files', world.ids.pending, (file) => ({ ...file, deadline: past(HOUR_MS) })),
  ],
  [
    'settled',
    'a file with work that is overdue',
    (world) =>
      alter(world, 'files', world.ids.active, (file) => ({ ...file, nextAttemptAt: past(1_000) })),
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
      const record = await documentOf(world, 'usage', world.ids.active);
      const { pending: _id } = world.ids;
      return await alter(world, 'usage', _id, () => ({ ...record, _id }));
    },
  ],
  [
    'totals',
    'a total that counts an upload twice',
    async (world) => {
      const totals = `${world.customer.accountId}|${await monthOf(world)}`;
      return await increase(world, 'usageTotals', totals, 'sums.byProvider.r2.uploads', 1);
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
    (world) => alter(world, 'files', world.ids.active, ({ completedAt: _at, ...file }) => file),
  ],
  [
    'acknowledged',
    'an active file without its object',
    async (world) => {
      const target = await objectOf(world);
      await world.s3.send(new DeleteObjectCommand(target));
      const back = new PutObjectCommand({ ...target, Body: Buffer.alloc(8, 'x') });
      return { id: world.ids.active, mend: () => world.s3.send(back) };
    },
  ],
  [
    'moved',
    'an active file with an object at another place',
    async (world) => {
      const { s3, name: Bucket } = world.elsewhere;
      const { Key } = await objectOf(world);
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
      const mend = () => s3.send(new DeleteObjectCommand({ Bucket, Key }));
      return { id: world.ids.active, mend };
    },
  ],
  [
    'runs',
    'a relocation with work left and without a workflow',
    (world) => {
      const { accountId } = world.customer;
      const _id = randomUUID();
      // After the sweep, which would start its workflow.
      const nextAttemptAt = new Date(Date.now() + HOUR_MS);
      return alter(world, 'relocations', _id, () => ({ _id, accountId, nextAttemptAt }));
    },
  ],
  [
    'runs',
    'a drill with work left and without a workflow',
    (world) => {
      const { accountId } = world.customer;
      const _id = randomUUID();
      const nextAttemptAt = new Date(Date.now() + HOUR_MS);
      return alter(world, 'drills', _id, () => ({ _id, accountId, nextAttemptAt }));
    },
  ],
  [
    'removed',
    'a copy of a drill that says that none is left',
    async (world) => {
      const { s3, name: Bucket } = world.elsewhere;
      const _id = randomUUID();
      const Key = `drill/${_id}/00001`;
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
      const { mend } = await alter(world, 'drills', _id, (drill) => ({ ...drill, removed: true }));
      const remove = () => s3.send(new DeleteObjectCommand({ Bucket, Key }));
      return { id: Key, mend: async () => await Promise.all([mend(), remove()]) };
    },
  ],
  [
    'removed',
    'an upload of a drill that says that none is left',
    async (world) => {
      const { s3, name: Bucket } = world.elsewhere;
      const _id = randomUUID();
      const Key = `drill/${_id}/00002`;
      const { mend: abort } = await beginUpload(s3, { Bucket, Key });
      const { mend } = await alter(world, 'drills', _id, (drill) => ({ ...drill, removed: true }));
      return { id: Key, mend: async () => await Promise.all([mend(), abort()]) };
    },
  ],
  [
    'runs',
    'a scan that runs without a workflow',
    (world) => {
      const { accountId } = world.customer;
      const _id = randomUUID();
      const scan = { _id, accountId, connectionId: _id, status: 'running' };
      return alter(world, 'scans', _id, () => scan);
    },
  ],
  [
    'copies',
    'an object that is written three times',
    async ({ migrating }) => {
      const { target, s3For, double } = migrating;
      for (let copy = 0; copy < 3; copy += 1)
        await s3For(target).send(new PutObjectCommand({ Bucket: target, Key: 'o/1', Body: 'x' }));
      return { id: 'o/1', mend: () => double.resetCounters() };
    },
  ],
  [
    'multipart',
    'an upload at a target without a migration',
    async ({ migrating: { target, s3For } }) => {
      const { uploadId, mend } = await beginUpload(s3For(target), { Bucket: target, Key: 'o/2' });
      return { id: uploadId, mend };
    },
  ],
  [
    'multipart',
    'an upload of a file that is active',
    async (world) => {
      const { mend } = await beginUpload(world.s3, await objectOf(world));
      return { id: world.ids.active, mend };
    },
  ],
  [
    'privacy',
    'a log with a presigned URL',
    async ({ log }) => {
      log('{"url":"https://store.example/x?X-Amz-Signature=00"}');
      return { id: 'a presigned URL', mend: () => log('') };
    },
  ],
  [
    'privacy',
    'a log with an object key',
    async (world) => {
      world.log(`{"msg":"${(await objectOf(world)).Key}"}`);
      return { id: 'log: report.txt', mend: () => world.log('') };
    },
  ],
];

/** A booking without a file, or a file without a booking. */
export async function changeQuota(world: World, uploads: number): Promise<Broken> {
  const { accountId } = world.customer;
  return await increase(world, 'quota', `${await monthOf(world)}/${accountId}`, 'uploads', uploads);
}

export const removeDocument = (world: World, name: string, _id: string): Promise<Broken> =>
  alter(world, name, _id, () => undefined);

/** Replaces a document, adds it or removes it; mended, it is as it was. */
async function alter(
  { database }: World,
  name: string,
  _id: string,
  to: (before: StoredDocument) => StoredDocument | undefined,
): Promise<Broken> {
  const collection = database.db.collection<StoredDocument>(name);
  const put = (document: StoredDocument | null | undefined) =>
    document
      ? collection.replaceOne({ _id }, document, { upsert: true })
      : collection.deleteOne({ _id });
  const before = await collection.findOne({ _id });
  await put(to(before ?? { _id, accountId: '' }));
  return { id: _id, mend: () => put(before) };
}

/** Increases an amount of this account. */
async function increase(
  { database, customer }: World,
  name: string,
  _id: string,
  field: string,
  by: number,
): Promise<Broken> {
  const add = async (amount: number) => {
    const collection = database.db.collection<StoredDocument>(name);
    const update: object = { $inc: { [field]: amount } };
    const { matchedCount } = await collection.updateOne({ _id }, update);
    assert.equal(matchedCount, 1);
  };
  await add(by);
  return { id: customer.accountId, mend: () => add(-by) };
}

async function beginUpload(s3: S3Client, object: { Bucket: string; Key: string }) {
  const { UploadId = '' } = await s3.send(new CreateMultipartUploadCommand(object));
  const abort = new AbortMultipartUploadCommand({ ...object, UploadId });
  return { uploadId: UploadId, mend: () => s3.send(abort) };
}

async function documentOf({ database }: World, name: string, _id: string) {
  const [document] = await database.read(name, { _id });
  return document ?? assert.fail(`${name} has no ${_id}`);
}

async function monthOf(world: World): Promise<string> {
  return String((await documentOf(world, 'files', world.ids.active))['month']);
}

/** The object of the active file. */
async function objectOf(world: World) {
  const { objectKey } = await documentOf(world, 'files', world.ids.active);
  return { Bucket: world.bucket, Key: String(objectKey) };
}
