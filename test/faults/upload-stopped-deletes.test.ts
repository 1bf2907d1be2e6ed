import assert from 'node:assert/strict';
import { Worker } from '@temporalio/worker';
import type { FileRecord } from '../../domain/uploads/file.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { stopDelete } from '../../operations/uploads/file-transitions.ts';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { createUploadHarness, type UploadHarness } from '../harness/upload-harness.ts';
import { localServers } from '../servers.ts';

const STOPPED = { status: 'deleting', lookAgainAtMs: null, isStopped: true };
const DAY_SECONDS = 86_400;
const WEEK_SECONDS = 7 * DAY_SECONDS;

describe('a delete that the store refuses', () => {
  let harness: UploadHarness;

  before(async () => {
    const { timeSkippingServer, mongodbUri } = await localServers();
    harness = await createUploadHarness(await timeSkippingServer(), mongodbUri);
  });
  after(() => harness.close());
  afterEach(() => {
    harness.bucket.silent = false;
  });

  const find = (file: FileRecord) => harness.records.files.findFile(file);
  const isInUse = ({ accountId }: FileRecord) =>
    harness.records.files.isProviderInUse(accountId, 'r2');

  /** A completed file that the store has refused to delete for 7 days. */
  async function stopped({ isWaitedFor = false } = {}): Promise<FileRecord> {
    const file = await harness.arrive();
    harness.bucket.objects.set(file.objectKey, file.sizeBytes);
    await harness.complete(file);
    harness.bucket.silent = true;
    assert.equal((await harness.remove(file)).deletedAt, undefined);
    const days = isWaitedFor ? 6 : 7;
    const deleteStartedAt = addSeconds(harness.now(), -days * DAY_SECONDS);
    await harness.records.files.change(file.fileId, ['deleting'], { set: { deleteStartedAt } });
    if (isWaitedFor) {
      // The store is asked every five minutes.
      await harness.pass('2h');
      assert.equal(await isInUse(file), true);
      await harness.pass('26h');
    }
    assert.deepEqual(await harness.ending(file), STOPPED);
    const found = await find(file);
    assert.equal(found?.nextAttemptAt, undefined, 'the sweep does not look at it');
    assert.equal(found?.totalsPending, undefined);
    return file;
  }

  it('is resumed by another call, which deletes at once', async () => {
    const file = await stopped({ isWaitedFor: true });
    harness.bucket.silent = false;
    assert.ok((await harness.remove(file)).deletedAt);
    assert.ok(!harness.bucket.objects.has(file.objectKey));
    const found = await find(file);
    assert.equal(found?.status, 'deleted');
    assert.deepEqual([found?.error, found?.deleteStoppedAt], [undefined, undefined]);
    assert.equal((await harness.countFiles(file)).deleted, 1);
  });

  it('is repeated again after another call, while its provider stays free', async () => {
    const file = await stopped();
    assert.equal((await harness.remove(file)).deletedAt, undefined);
    await assert.rejects(harness.get(file), { code: 'file_deleted' });
    assert.equal(await isInUse(file), false);
    await harness.pass('2h');
    assert.equal((await find(file))?.error, undefined);
    harness.bucket.silent = false;
    assert.equal((await harness.ending(file)).status, 'deleted');
  });

  it('is not stopped by an attempt that began before it was resumed', async () => {
    const file = await stopped();
    const deleteStartedAt = addSeconds(harness.now(), -WEEK_SECONDS);
    const before = { ...file, status: 'deleting', deleteStartedAt } as const;
    await harness.remove(file);
    const error = { code: 'provider_error', message: 'late' } as const;
    const found = await stopDelete({ ...harness.records, now: harness.now }, before, error);
    assert.equal(found.error, undefined);
    assert.ok(found.nextAttemptAt);
    harness.bucket.silent = false;
    assert.equal((await harness.ending(file)).status, 'deleted');
  });

  it('after the window stops a week after its last look, and the file stays deleted', async () => {
    const file = await harness.arrive();
    await harness.remove(file);
    harness.bucket.silent = true;
    await harness.pass('26h');
    await harness.pass('2h');
    assert.ok((await find(file))?.lookAgainAt);
    const lastLookAt = addSeconds(harness.now(), -WEEK_SECONDS);
    await harness.records.files.change(file.fileId, ['deleted'], { set: { lastLookAt } });
    assert.deepEqual(await harness.ending(file), { status: 'deleted', lookAgainAtMs: null });
    assert.equal((await find(file))?.nextAttemptAt, undefined);
  });

  it('leaves histories that can be replayed', async () => {
    const workflowBundle = await loadWorkflowBundle();
    const histories = await harness.histories();
    assert.equal(histories.length, 4);
    for (const history of histories)
      await Worker.runReplayHistory({ workflowBundle }, history, 'upload/test');
  });
});
