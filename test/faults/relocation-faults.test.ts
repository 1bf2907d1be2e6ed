import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { DeleteObjectCommand, paginateListObjectsV2, PutObjectCommand } from '@aws-sdk/client-s3';
import { Long } from 'mongodb';
import type { AwsDouble } from '../../dev/aws-double/index.ts';
import { isLongForm } from '../long-form.ts';
import { isolatedService } from '../integration/customers.ts';
import { eventually } from '../harness/customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import { openFormerPlace, openOwnPlace, savePlace, type OwnPlace } from '../harness/own-place.ts';
import {
  assertReadable,
  relocatedFiles,
  relocationsOf,
  startRelocation,
  untilRelocation,
} from '../harness/relocation.ts';

type Fault = Parameters<AwsDouble['addFault']>[0];

const FILES = 3;
const MANY_FILES = isLongForm ? 10_000 : 1_500;
const KILLED_EVERY_MS = 4_000;
const MAX_KILLS = isLongForm ? 40 : 5;
const SLOW_MS = 5_000;
/** Longer than URLs live and old objects wait. */
const DRAINED_MS = 8_000;

describe('a relocation while something goes wrong', function () {
  this.timeout(isLongForm ? 1_200_000 : 300_000);
  const service = isolatedService({
    environment: {
      DEFAULT_PLAN: 'growth',
      UPLOAD_URL_SECONDS: '3',
      UPLOAD_GRACE_SECONDS: '2',
      DOWNLOAD_URL_SECONDS: '4',
      RELOCATION_DRAIN_SECONDS: '1',
    },
  });
  const places: OwnPlace[] = [];
  /** With files that were not uploaded. */
  const leftOut: string[] = [];
  after(() => {
    for (const { s3 } of places) s3.destroy();
  });

  /** A customer whose files are at one place of its store, which is now at another. */
  async function open(count = FILES) {
    const { stack, service: own } = service;
    const opened = await openFormerPlace(stack, own.baseUrl, count);
    const { customer, former: one, current: two, files } = opened;
    places.push(one, two);
    const double = stack.cloud?.double ?? assert.fail();
    return {
      customer,
      one,
      two,
      files,
      addFault: (at: OwnPlace, fault: Fault) => double.addFault({ ...fault, bucket: at.name }),
      start: (more = {}) => startRelocation(customer, one, more),
      relocations: relocationsOf(customer),
    };
  }
  type Opened = Awaited<ReturnType<typeof open>>;
  afterEach(() => service.stack.cloud?.double.clearFaults());

  async function assertMoved({ customer, one, two, files }: Opened, id: string): Promise<void> {
    await untilRelocation(customer, id, 'completed');
    for (const { fileId, bytes } of files) await assertReadable(customer, fileId, bytes);
    assert.deepEqual(await one.contents(), { objects: [], uploads: [] });
    const { objects, uploads } = await two.contents();
    assert.deepEqual([objects.length, uploads], [files.length, []]);
  }

  /** Starts a relocation, and returns while a file is being copied. */
  async function startCopying({ customer, two, start, addFault }: Opened, fileId: string) {
    const id = await start();
    const latencyMs = SLOW_MS;
    addFault(two, { effect: 'latency', operation: 'PutObject', key: `*${fileId}*`, latencyMs });
    await untilRelocation(customer, id, 'copying');
    await wait(SLOW_MS / 4);
    return id;
  }

  it('goes on where both stores hang, in the copies and in the deletes', async () => {
    const opened = await open();
    const id = await opened.start();
    const { one, two, addFault } = opened;
    addFault(one, { effect: 'hang', operation: 'GetObject', times: 2 });
    addFault(two, { effect: 'hang', operation: 'PutObject', key: '*report*', times: 1 });
    addFault(one, { effect: 'hang', operation: 'DeleteObject', times: 1 });
    addFault(one, { effect: 'cut', operation: 'DeleteObject', at: 'response', times: 1 });
    await assertMoved(opened, id);
  });

  it(`moves ${MANY_FILES} files while the worker is killed again and again`, async () => {
    const opened = await open(1);
    const { customer, one, two, files } = opened;
    const [stored] = await service.database.read('files', { _id: files[0]?.fileId });
    assert.ok(stored);
    leftOut.push(customer.accountId);
    const copies = Array.from({ length: MANY_FILES - 1 }, () => {
      const _id = randomUUID();
      return { ...stored, _id, objectKey: `uploads/${_id}/report.txt`, sizeBytes: new Long(9) };
    });
    await service.database.db.collection<typeof stored>('files').insertMany(copies);
    const objects = copies.map(({ objectKey: key }) => ({ key, size: 9 }));
    service.stack.cloud?.double.seed({ bucket: one.name, objects });
    const id = await opened.start();
    const worker = service.service.workers[0] ?? assert.fail();
    let kills = 0;
    let status = 'planning';
    while (status !== 'completed') {
      await wait(KILLED_EVERY_MS);
      if (kills < MAX_KILLS) {
        await worker.kill('SIGKILL');
        await worker.restart();
        kills += 1;
      }
      ({ status } = await opened.relocations.get(id));
      assert.ok(!status.startsWith('completed_') && status !== 'failed', status);
    }
    const moved = await service.database.read('files', { 'location.bucketName': two.name });
    assert.equal(moved.length, MANY_FILES);
    assert.ok(moved.every(({ oldObjects }) => oldObjects === undefined));
    assert.deepEqual((await one.contents()).objects, []);
    const keys = new Set<string>();
    for await (const { Contents = [] } of paginateListObjectsV2(
      { client: two.s3 },
      { Bucket: two.name },
    ))
      for (const { Key = '' } of Contents) keys.add(Key);
    assert.deepEqual([...keys].sort(), moved.map(({ objectKey }) => String(objectKey)).sort());
    const lines = await relocatedFiles(customer, id);
    assert.equal(new Set(lines.map(({ fileId }) => fileId)).size, MANY_FILES);
    assert.ok(
      lines.every((line) => line.outcome === 'moved' && line.sha256 && line.sourceDeletedAt),
    );
  });

  it('begins once where it is asked for twice at once', async () => {
    const opened = await open(1);
    const begun = await Promise.allSettled([opened.start(), opened.start(), opened.start()]);
    const ids = begun.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const refused = begun.flatMap((each) =>
      each.status === 'rejected' ? (each.reason as { code: string }).code : [],
    );
    assert.deepEqual([ids.length, refused], [1, ['relocation_running', 'relocation_running']]);
    await assertMoved(opened, ids[0] ?? '');
  });

  it('leaves nothing of a file that is deleted during its copy', async () => {
    const opened = await open(1);
    const { customer, one, two, files } = opened;
    const { fileId } = files[0] ?? assert.fail();
    const id = await startCopying(opened, fileId);
    assert.equal((await customer.delete(fileId)).status, 200);
    await untilRelocation(customer, id, 'completed');
    assert.deepEqual([await one.contents(), await two.contents()], [EMPTY, EMPTY]);
    const lines = await relocatedFiles(customer, id);
    assert.deepEqual(
      lines.map(({ outcome, code }) => [outcome, code]),
      [['skipped', 'file_deleted']],
    );
  });

  it('keeps the file where its object is replaced during its copy', async () => {
    const opened = await open(1);
    const { customer, one, two, files } = opened;
    const { fileId } = files[0] ?? assert.fail();
    const id = await startCopying(opened, fileId);
    const [Key] = (await one.contents()).objects;
    const replaced = Buffer.from('a newer b');
    await one.s3.send(new PutObjectCommand({ Bucket: one.name, Key, Body: replaced }));
    const { failures } = await untilRelocation(customer, id, 'completed_with_failures');
    assert.deepEqual(
      failures.map((each) => [each.fileId, each.code]),
      [[fileId, 'object_changed']],
    );
    assert.deepEqual(await two.contents(), EMPTY);
    await assertReadable(customer, fileId, replaced);
  });

  for (const side of ['source', 'target'] as const) {
    it(`fails where the keys of its ${side} are withdrawn, and goes on with new ones`, async () => {
      const opened = await open();
      const { customer, one, two, files, addFault } = opened;
      const withdrawn = side === 'source' ? one : two;
      // One is moved, and the others are read when the keys are gone.
      const slow = { effect: 'latency', operation: 'GetObject', latencyMs: SLOW_MS } as const;
      for (const { fileId } of files.slice(1)) addFault(one, { ...slow, key: `*${fileId}*` });
      const id = await opened.start();
      await eventually('a file has moved', async () => (await two.contents()).objects.length === 1);
      withdrawn.revokeKeys();
      const { error } = await untilRelocation(customer, id, 'failed');
      assert.equal(error?.code, 'provider_error');
      withdrawn.renewKeys();
      await savePlace(customer, withdrawn, side === 'source' ? { place: 'former' } : {});
      // Copies that could not be removed, and old objects, are deleted now.
      await eventually('nothing of the failed one waits', async () => {
        const stored = await service.database.read('relocations', { _id: id });
        return stored[0]?.['nextAttemptAt'] === undefined;
      });
      await assertMoved(opened, await opened.start());
    });
  }

  it('ends as cancelled; what has moved stays, and what has not stays too', async () => {
    const opened = await open();
    const { customer, one, two, files, addFault, relocations } = opened;
    const first = files[0] ?? assert.fail();
    const id = await opened.start();
    const slow = { effect: 'latency', operation: 'PutObject', latencyMs: SLOW_MS } as const;
    for (const { fileId } of files.slice(1)) addFault(two, { ...slow, key: `*${fileId}*` });
    await eventually('the first file has moved', async () => {
      const [stored] = await service.database.read('files', { _id: first.fileId });
      return Array.isArray(stored?.['oldObjects']);
    });
    await relocations.cancel(id);
    const { progress, costUsd, movedAt } = await untilRelocation(customer, id, 'cancelled');
    assert.equal(progress.filesMoved, 1);
    assert.ok(costUsd > 0 && movedAt !== null);
    for (const { fileId, bytes } of files) await assertReadable(customer, fileId, bytes);
    await wait(DRAINED_MS);
    const [left, moved] = [await one.contents(), await two.contents()];
    assert.deepEqual([left.objects.length, moved.objects.length], [FILES - 1, 1]);
    assert.ok(moved.objects[0]?.includes(first.fileId));
    await assertMoved(opened, await opened.start());
  });

  it('goes on through a change of place; its provider cannot be deleted meanwhile', async () => {
    const opened = await open();
    const { customer, two, files, addFault } = opened;
    const id = await opened.start();
    const latencyMs = SLOW_MS / 2;
    addFault(two, { effect: 'latency', operation: 'PutObject', key: '*report*', latencyMs });
    const three = openOwnPlace(service.stack);
    places.push(three);
    await savePlace(customer, three);
    const refused = await customer.manage('DELETE /v1/providers/aws');
    assert.deepEqual([refused.status, refused.body['code']], [409, 'provider_in_use']);
    await assertMoved(opened, id);
    // From the place that was current when the first one began.
    const next = await startRelocation(customer, two);
    await untilRelocation(customer, next, 'completed');
    for (const { fileId, bytes } of files) await assertReadable(customer, fileId, bytes);
    assert.deepEqual(await two.contents(), EMPTY);
  });

  it('loses no file whose old object at the target was listed, and then deleted', async () => {
    const opened = await open();
    const { customer, one, two, files, addFault } = opened;
    const there = await opened.start();
    await untilRelocation(customer, there, 'draining');
    await savePlace(customer, one);
    // The objects that wait for their delete are seen, and gone before the first file is moved.
    const latencyMs = DRAINED_MS + SLOW_MS;
    addFault(one, { effect: 'latency', operation: 'ListObjectsV2', latencyMs, times: 1 });
    const back = await startRelocation(customer, two);
    await untilRelocation(customer, there, 'completed');
    await untilRelocation(customer, back, 'completed');
    for (const { fileId, bytes } of files) await assertReadable(customer, fileId, bytes);
  });

  it('keeps an old object while the new place does not have the file', async () => {
    const opened = await open(1);
    const { customer, one, two, files } = opened;
    const { fileId, bytes } = files[0] ?? assert.fail();
    const [Key] = (await one.contents()).objects;
    const id = await opened.start();
    await untilRelocation(customer, id, 'draining');
    await two.s3.send(new DeleteObjectCommand({ Bucket: two.name, Key }));
    await wait(DRAINED_MS);
    assert.deepEqual((await one.contents()).objects, [Key]);
    await two.s3.send(new PutObjectCommand({ Bucket: two.name, Key, Body: bytes }));
    await untilRelocation(customer, id, 'completed');
    assert.deepEqual(await one.contents(), EMPTY);
    await assertReadable(customer, fileId, bytes);
  });

  it('reports an old object that a second PUT has replaced, and leaves it', async () => {
    const opened = await open(1);
    const { customer, one, files } = opened;
    const { fileId, bytes } = files[0] ?? assert.fail();
    const [Key] = (await one.contents()).objects;
    const id = await opened.start();
    await untilRelocation(customer, id, 'draining');
    await one.s3.send(new PutObjectCommand({ Bucket: one.name, Key, Body: 'later' }));
    await untilRelocation(customer, id, 'completed');
    const [line] = await relocatedFiles(customer, id);
    assert.deepEqual([line?.outcome, line?.code], ['moved', 'old_object_changed']);
    assert.deepEqual((await one.contents()).objects, [Key]);
    await assertReadable(customer, fileId, bytes);
    // As its owner does.
    await one.s3.send(new DeleteObjectCommand({ Bucket: one.name, Key }));
  });

  it('leaves every invariant intact', async () => {
    const { stack, service: own } = service;
    await assertInvariants({ stack, service: own, places, leftOut });
  });
});

const EMPTY = { objects: [], uploads: [] };
