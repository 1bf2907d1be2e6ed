import assert from 'node:assert/strict';
import { Worker } from '@temporalio/worker';
import type { FileRecord } from '../../domain/upload/file.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { stopDelete } from '../../operations/uploads/file-transitions.ts';
import { uploadWorkflowId } from '../../messages/names.ts';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { createUploadHarness, type UploadHarness } from '../harness/upload-harness.ts';
import { localServers } from '../servers.ts';

const STOPPED = { status: 'deleting', lookAgainAtMs: null, isStopped: true };
const WEEK_SECONDS = 7 * 86_400;

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

  const find = (file: FileRecord) => harness.records.files.find(file);
  const isInUse = ({ accountId }: FileRecord) =>
    harness.records.files.isProviderInUse(accountId, 'r2');

  /** A completed file, whose store is silent from its delete on. */
  async function refused(): Promise<FileRecord> {
    const file = await harness.arrive();
    harness.bucket.objects.set(file.objectKey, file.sizeBytes);
    await harness.complete(file);
    harness.bucket.silent = true;
    assert.equal((await harness.remove(file)).deletedAt, undefined);
    return file;
  }

  /** The same after 7 days. */
  async function stopped(): Promise<FileRecord> {
    const file = await refused();
    const deleteStartedAt = addSeconds(harness.now(), -WEEK_SECONDS);
    await harness.records.files.change(file.fileId, ['deleting'], { set: { deleteStartedAt } });
    assert.deepEqual(await harness.ending(file), STOPPED);
    return file;
  }

  it('for 7 days stops, shows the error, and does not keep its provider in use', async () => {
    const file = await refused();
    await harness.pass('6d');
    await assert.rejects(harness.get(file), { code: 'file_deleted' });
    assert.equal(await isInUse(file), true);

    await harness.pass('26h');
    assert.deepEqual(await harness.ending(file), STOPPED);
    const { file: shown, download } = await harness.get(file);
    assert.deepEqual(shown.error, {
      code: 'provider_error',
      message: 'Cloudflare R2 (r2): it did not answer in time.',
    });
    assert.deepEqual([shown.status, download], ['deleting', undefined]);
    assert.equal(shown.nextAttemptAt, undefined, 'the sweep does not look at it');
    assert.equal(shown.totalsPending, undefined);
    assert.equal(await isInUse(file), false);
    const handle = harness.env.client.workflow.getHandle(uploadWorkflowId(file.fileId));
    assert.equal((await handle.describe()).status.name, 'COMPLETED');
  });

  it('is resumed by another call, which deletes at once', async () => {
    const file = await stopped();
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

  it('is continued by the sweep once the provider has new credentials', async () => {
    const file = await stopped();
    harness.bucket.silent = false;
    await harness.records.files.resumeDeletes(file.accountId, 'r2', harness.now());
    await harness.pass('30m');
    assert.ok((await harness.sweep()).woken >= 1);
    assert.equal((await harness.ending(file)).status, 'deleted');
    assert.ok(!harness.bucket.objects.has(file.objectKey));
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
    assert.equal(histories.length, 6);
    for (const history of histories)
      await Worker.runReplayHistory({ workflowBundle }, history, 'upload/test');
  });
});
