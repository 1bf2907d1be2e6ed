import assert from 'node:assert/strict';
import { uploadWorkflowId } from '../../messages/names.ts';
import type { FileRecord } from '../../domain/uploads/file.ts';
import { Worker } from '@temporalio/worker';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { localServers } from '../servers.ts';
import { opened } from '../harness/opened.ts';
import { createUploadHarness } from '../harness/upload-harness.ts';
import { arrive, LIVES, type Stand } from './upload-lives.ts';

describe('the life of an upload', () => {
  const harness = opened(async () => {
    const { timeSkippingServer, mongodbUri } = await localServers();
    return await createUploadHarness(await timeSkippingServer(), mongodbUri);
  });
  afterEach(() => {
    harness.bucket.silent = false;
  });

  const arrived = (file: FileRecord) => arrive(harness, file);
  const find = (file: FileRecord) => harness.records.files.findFile(file);

  async function stands(file: FileRecord, expected: Stand) {
    const [found, booked, recorded] = await Promise.all([
      find(file),
      harness.booked(file),
      harness.recorded(file),
    ]);
    assert.deepEqual({ status: found?.status, booked, recorded }, expected);
    await isTallied(file);
  }

  /** The usage totals equal the file and the usage records, and no total is pending. */
  async function isTallied(file: FileRecord) {
    const found = await find(file);
    assert.equal(found?.totalsPending, undefined);
    const stands = { pending: 0, active: 0, deleted: 0, expired: 0 };
    const status = found?.status === 'deleting' ? 'deleted' : found?.status;
    if (status) stands[status] += 1;
    const uploads = await harness.recorded(file);
    assert.deepEqual(await harness.countFiles(file), { ...stands, uploads });
  }

  for (const [what, { steps, ends, deletes: times }] of Object.entries(LIVES))
    it(what, async () => {
      const file = await harness.arrive();
      for (const step of steps)
        if (typeof step === 'function') await step(harness, file);
        else await stands(file, step);
      assert.equal((await harness.ending(file)).status, ends.status);
      await stands(file, ends);
      assert.equal((await find(file))?.nextAttemptAt, undefined, 'no work is left');
      const { objects, deletes } = harness.bucket;
      if (ends.status === 'deleted') assert.ok(!objects.has(file.objectKey));
      else assert.ok(!deletes.includes(file.objectKey), 'nothing is deleted by expiry');
      if (times) assert.equal(deletes.filter((key) => key === file.objectKey).length, times);
    });

  it('ends without a file where there is none', async () => {
    const file = await harness.arrive();
    const ghost = { ...file, fileId: crypto.randomUUID() };
    await harness.uploads.startUpload(ghost);
    assert.equal((await harness.ending(ghost)).status, 'missing');
    assert.equal(await find(ghost), undefined);
  });

  it('has a workflow where its start was dropped: the sweep starts one, delayed until the window closes', async () => {
    const file = await harness.insert({ unstarted: true, nextAttemptAt: harness.now() });
    const { started } = await harness.sweep();
    assert.equal(started, 1);
    assert.equal((await find(file))?.unstarted, undefined);
    arrived(file);
    assert.equal((await harness.ending(file)).status, 'active');
  });

  const completed = async (file: FileRecord) => {
    arrived(file);
    await harness.complete(file);
  };
  /** Three billable actions of the seven: the start, the local activity and the upsert. */
  const LIFE_EVENTS: readonly [what: string, events: number, (file: FileRecord) => unknown][] = [
    ['completed', 7, completed],
    ['completed at its deadline', 7, arrived],
    ['expired', 13, () => undefined],
    ['deleted while pending', 13, (file) => harness.remove(file)],
  ];
  for (const [what, events, live] of LIFE_EVENTS)
    it(`leaves ${events} events where it was ${what}`, async () => {
      const file = await harness.arrive();
      await live(file);
      await harness.ending(file);
      const handle = harness.env.client.workflow.getHandle(uploadWorkflowId(file.fileId));
      assert.equal((await handle.fetchHistory()).events?.length, events);
    });

  it('replays the histories of all uploads above', async () => {
    const workflowBundle = await loadWorkflowBundle();
    const histories = await harness.histories();
    assert.equal(histories.length, Object.keys(LIVES).length + LIFE_EVENTS.length + 1);
    for (const history of histories) {
      await Worker.runReplayHistory({ workflowBundle }, history, 'upload/test');
    }
  });
});
