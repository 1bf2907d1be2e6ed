import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { Worker } from '@temporalio/worker';
import { loadWorkflowBundle } from '../../worker/bundle.ts';
import { installQuietRuntime } from '../runtime.ts';

const FOLDER = new URL('../histories/', import.meta.url);

/** The sink of traced workflows. */
const NO_SPANS = { exporter: { export: { fn: () => {} } } };

describe('recorded histories', () => {
  before(installQuietRuntime);

  for (const on of [false, true])
    it(`are replayed ${on ? 'with' : 'without'} traces and encoded failures`, async () => {
      const histories = await readHistories();
      assert.ok(histories.length >= 8);
      const workflowBundle = await loadWorkflowBundle({ encodesFailures: on, traced: on });
      const replays = Worker.runReplayHistories({ workflowBundle, sinks: NO_SPANS }, histories);
      let replayed = 0;
      for await (const { workflowId, error } of replays) {
        assert.ifError(error && new Error(workflowId, { cause: error }));
        replayed += 1;
      }
      assert.equal(replayed, histories.length);
    });

  async function readHistories() {
    const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.json'));
    return await Promise.all(
      names.map(async (workflowId) => {
        const history: unknown = JSON.parse(await readFile(new URL(workflowId, FOLDER), 'utf8'));
        return { workflowId, history };
      }),
    );
  }

  const SETTLED = 'upload-settled-after-an-outage.json';
  it('fail to replay with a changed workflow', async () => {
    const text = await readFile(new URL(SETTLED, FOLDER), 'utf8');
    const other: unknown = JSON.parse(text.replaceAll('settleUpload', 'somethingElse'));
    const workflowBundle = await loadWorkflowBundle();
    await assert.rejects(Worker.runReplayHistory({ workflowBundle }, other, 'upload/recorded'));
  });
});
