import assert from 'node:assert/strict';
import { AppError } from '../../domain/errors.ts';
import { uploadWorkflowId } from '../../workflows/names.ts';
import type { FileRecord, FileStatus } from '../../domain/file.ts';
import { Worker } from '@temporalio/worker';
import { createUpkeepActivities } from '../../activities/upkeep.ts';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { localServers } from '../servers.ts';
import { createUploadWorld, UNLIMITED, type UploadWorld } from '../harness/upload-harness.ts';

describe('the life of an upload', () => {
  let world: UploadWorld;

  before(async () => {
    const { timeSkippingServer, mongodbUri } = await localServers();
    world = await createUploadWorld(await timeSkippingServer(), mongodbUri);
  });
  after(() => world.close());
  afterEach(() => {
    world.bucket.silent = false;
  });

  const arrived = (file: FileRecord, sizeBytes = file.sizeBytes) =>
    world.bucket.objects.set(file.objectKey, sizeBytes);
  const find = (file: FileRecord) => world.records.files.find(file);

  async function stands(
    file: FileRecord,
    expected: { status: FileStatus; booked: number; recorded: number },
  ) {
    const [found, booked, recorded] = await Promise.all([
      find(file),
      world.booked(file),
      world.recorded(file),
    ]);
    assert.deepEqual({ status: found?.status, booked, recorded }, expected);
    await isTallied(file);
  }

  /** The sums say the same as the file and the ledger, and owe nothing. */
  async function isTallied(file: FileRecord) {
    const found = await find(file);
    assert.equal(found?.tallyDue, undefined);
    const stands = { pending: 0, active: 0, deleted: 0, expired: 0 };
    const status = found?.status === 'deleting' ? 'deleted' : found?.status;
    if (status) stands[status] += 1;
    const uploads = await world.recorded(file);
    assert.deepEqual(await world.tallied(file), { ...stands, uploads });
  }

  async function becomes(file: FileRecord, status: FileStatus) {
    const until = Date.now() + 10_000;
    for (;;) {
      const found = await find(file);
      if (found?.status === status) return found;
      assert.ok(Date.now() < until, `still ${found?.status}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  it('ends as expired after 25 hours without bytes, and gives its reservation back', async () => {
    const file = await world.arrive();
    await world.pass('2h');
    await stands(file, { status: 'pending', booked: 1, recorded: 0 });
    assert.equal((await world.ending(file)).status, 'expired');
    await stands(file, { status: 'expired', booked: 0, recorded: 0 });
  });

  it('ends as active where the bytes came and nobody said so', async () => {
    const file = await world.arrive();
    arrived(file);
    assert.equal((await world.ending(file)).status, 'active');
    await stands(file, { status: 'active', booked: 1, recorded: 1 });
  });

  it('ends as expired where the object has another size', async () => {
    const file = await world.arrive();
    arrived(file, 999);
    assert.equal((await world.ending(file)).status, 'expired');
    assert.equal(world.bucket.objects.get(file.objectKey), 999, 'nothing is deleted by expiry');
  });

  it('becomes active by a command, once, however many come', async () => {
    const file = await world.arrive();
    arrived(file);
    const states = await Promise.all(
      Array.from({ length: 25 }, () => world.uploads.complete(file)),
    );
    assert.equal(new Set(states.map((state) => state.completedAt)).size, 1);
    await stands(file, { status: 'active', booked: 1, recorded: 1 });
    assert.equal((await world.ending(file)).status, 'active');
  });

  it('says expired to a command that comes too late', async () => {
    const file = await world.arrive();
    await world.ending(file);
    arrived(file);
    assert.equal((await world.uploads.complete(file)).status, 'expired');
    await stands(file, { status: 'expired', booked: 0, recorded: 0 });
  });

  it('is deleted while pending, and once more when the window closes, so that a late PUT leaves nothing', async () => {
    const file = await world.arrive();
    await world.uploads.delete(file);
    await becomes(file, 'deleted');
    await stands(file, { status: 'deleted', booked: 0, recorded: 0 });
    arrived(file);
    assert.equal((await world.ending(file)).status, 'deleted');
    assert.ok(!world.bucket.objects.has(file.objectKey));
    await stands(file, { status: 'deleted', booked: 0, recorded: 0 });
  });

  it('is deleted once where its URL had died before', async () => {
    const file = await world.arrive();
    arrived(file);
    await world.uploads.complete(file);
    await world.pass('2h');
    await world.uploads.delete(file);
    await world.ending(file);
    assert.equal(world.bucket.deletes.filter((key) => key === file.objectKey).length, 1);
    await stands(file, { status: 'deleted', booked: 1, recorded: 1 });
  });

  it('is deleted by a command that nobody has to repeat, however long the store is silent', async () => {
    const file = await world.arrive();
    arrived(file);
    await world.uploads.complete(file);
    world.bucket.silent = true;
    await world.uploads.delete(file);
    await world.pass('2h');
    await stands(file, { status: 'deleting', booked: 1, recorded: 1 });
    world.bucket.silent = false;
    assert.equal((await world.ending(file)).status, 'deleted');
    assert.ok(!world.bucket.objects.has(file.objectKey));
  });

  it('may be deleted after it has expired, without a second release', async () => {
    const file = await world.arrive();
    await world.ending(file);
    await world.uploads.delete(file);
    await becomes(file, 'deleted');
    await stands(file, { status: 'deleted', booked: 0, recorded: 0 });
  });

  it('waits for a store that is silent when the window closes, and then decides', async () => {
    const file = await world.arrive();
    arrived(file);
    world.bucket.silent = true;
    await world.pass('26h');
    await stands(file, { status: 'pending', booked: 1, recorded: 0 });
    world.bucket.silent = false;
    assert.equal((await world.ending(file)).status, 'active');
  });

  it('expires where the store stays silent for a day', async () => {
    const file = await world.arrive();
    world.bucket.silent = true;
    assert.equal((await world.ending(file)).status, 'expired');
    await stands(file, { status: 'expired', booked: 0, recorded: 0 });
  });

  it('leaves a tombstone where the insert never came, so that a late one collides', async () => {
    const file = await world.arrive();
    const ghost = { ...file, fileId: crypto.randomUUID() };
    await world.uploads.start(ghost);
    assert.equal((await world.ending(ghost)).status, 'expired');
    assert.equal(await find(ghost), undefined);
    await assert.rejects(world.records.files.insert(ghost), /E11000|duplicate/i);
  });

  it('is settled by the sweep where its workflow was lost', async () => {
    const file = await world.arrive();
    arrived(file);
    await world.env.client.workflow.getHandle(uploadWorkflowId(file.fileId)).terminate('lost');
    await world.pass('26h');
    const swept = await world.env.client.workflow.execute('sweepUploads', {
      taskQueue: 'uploads',
      workflowId: `sweep/${file.fileId}`,
    });
    assert.ok(swept.started >= 1);
    assert.equal((await world.ending(file)).status, 'active');
    await stands(file, { status: 'active', booked: 1, recorded: 1 });
  });

  it('is counted by the sweep where its workflow was lost between its status and the sums', async () => {
    const file = await world.arrive();
    await world.records.files.activate(file.fileId, world.now());
    await world.env.client.workflow.getHandle(uploadWorkflowId(file.fileId)).terminate('lost');
    await world.pass('30m');
    assert.equal((await world.tallied(file)).uploads, 0);
    const sweep = (round: number) =>
      world.env.client.workflow.execute('sweepUploads', {
        taskQueue: 'uploads',
        workflowId: `sweep/${file.fileId}/${round}`,
      });
    await sweep(1);
    assert.equal((await world.ending(file)).status, 'active');
    await stands(file, { status: 'active', booked: 1, recorded: 1 });
    assert.deepEqual(await sweep(2), { started: 0, reviewed: 0, failed: 0 });
  });

  /** What a worker leaves that dies after its write: the file has moved, and no history says so. */
  describe('whose run sleeps while the file has moved', () => {
    const sweep = (file: FileRecord) =>
      world.env.client.workflow.execute('sweepUploads', {
        taskQueue: 'uploads',
        workflowId: `sweep/${file.fileId}`,
      });

    it('is deleted by the sweep', async () => {
      const file = await world.arrive();
      arrived(file);
      await world.records.files.startDeletePending(file.fileId, world.now());
      await world.records.quota.release(file, { bytes: file.sizeBytes, uploads: 1 });
      await world.pass('30m');
      const { reviewed, failed } = await sweep(file);
      assert.equal(reviewed, 1, 'it owes a delete and a count');
      assert.equal(failed, 0);
      assert.equal((await becomes(file, 'deleted')).deleteDue, undefined);
      assert.ok(!world.bucket.objects.has(file.objectKey));
      await stands(file, { status: 'deleted', booked: 0, recorded: 0 });
    });

    it('is deleted by the next command to do so', async () => {
      const file = await world.arrive();
      await world.uploads.complete(file);
      await world.records.files.startDeleteSettled(file.fileId, world.now());
      await world.uploads.delete(file);
      await becomes(file, 'deleted');
      await stands(file, { status: 'deleted', booked: 1, recorded: 1 });
    });

    it('is counted by the sweep', async () => {
      const file = await world.arrive();
      await world.records.files.activate(file.fileId, world.now());
      await world.pass('30m');
      assert.ok((await sweep(file)).reviewed >= 1);
      await stands(file, { status: 'active', booked: 1, recorded: 1 });
    });
  });

  it('comes out right however complete, delete and the deadline meet', async () => {
    const ends = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const file = await world.arrive();
        arrived(file);
        const commands = [
          () => world.uploads.complete(file),
          () => world.uploads.delete(file),
          () => world.uploads.complete(file),
        ];
        await Promise.all((index % 2 ? commands : commands.toReversed()).map(untilTaken));
        return file;
      }),
    );
    for (const file of ends) {
      const found = await becomes(file, 'deleted');
      const recorded = await world.recorded(file);
      // Completed first: it counts and stays in the ledger. Deleted first: it never was.
      assert.equal(await world.booked(file), recorded);
      assert.equal(found?.completedAt !== undefined, recorded === 1);
      assert.ok(!world.bucket.objects.has(file.objectKey));
      await isTallied(file);
    }
  });

  it('gives back what a crash left booked, and not a byte of what is held or on its way', async () => {
    const file = await world.arrive();
    await world.records.quota.book(file, 5000, UNLIMITED);
    // An init that booked, and whose workflow cannot be started.
    const given = { ...file, fileId: crypto.randomUUID(), sizeBytes: 700 };
    await world.records.quota.book(given, given.sizeBytes, UNLIMITED);
    let late: FileRecord | undefined;
    const reconcile = async (meanwhile: () => Promise<void>) => {
      const deps = { ...world.records, uploads: world.uploads, now: world.now };
      await createUpkeepActivities({
        ...deps,
        wait: meanwhile,
        heartbeat: () => undefined,
      }).reconcileQuota();
      return world.records.quota.read(file);
    };
    const busy = await reconcile(async () => {
      late = await world.arrive({ accountId: file.accountId, month: file.month });
      await world.uploads.delete(file);
      await world.records.files.insertTombstone(given, world.now());
      await world.records.quota.release(given, { bytes: given.sizeBytes, uploads: 1 });
    });
    assert.deepEqual(busy, { bytes: 2000, uploads: 2 }, 'what moves meanwhile is left alone');
    await world.pass('30m');
    assert.deepEqual(await reconcile(() => Promise.resolve()), {
      bytes: late?.sizeBytes,
      uploads: 1,
    });
  });

  it('goes the same way again when a history is replayed, for everything that happened above', async () => {
    const workflowBundle = await loadWorkflowBundle();
    const histories = await world.histories();
    assert.ok(histories.length > 25);
    for (const history of histories) {
      await Worker.runReplayHistory({ workflowBundle }, history, 'upload/test');
    }
  });
});

/** As a caller does who was told 503: the machine may be slower than the time that a command has. */
async function untilTaken(send: () => Promise<unknown>): Promise<unknown> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'unavailable')) throw error;
    return await untilTaken(send);
  }
}
