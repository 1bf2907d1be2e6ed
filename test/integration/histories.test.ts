import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { Worker } from '@temporalio/worker';
import { BUNDLES, loadWorkflowBundle } from '../../worker/bundle.ts';
import { installQuietRuntime } from '../runtime.ts';

const FOLDER = new URL('../histories/', import.meta.url);

/** The sink of the traced bundles. */
const NO_SPANS = { exporter: { export: { fn: () => {} } } };

describe('recorded histories', () => {
  before(installQuietRuntime);

  for (const features of BUNDLES)
    it(`are replayed by the workflows of today, ${JSON.stringify(features)}`, async () => {
      const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.json'));
      assert.ok(names.length >= 8);
      const workflowBundle = await loadWorkflowBundle(features);
      for (const name of names) {
        const history: unknown = JSON.parse(await readFile(new URL(name, FOLDER), 'utf8'));
        await Worker.runReplayHistory(
          { workflowBundle, sinks: NO_SPANS },
          history,
          'upload/recorded',
        );
      }
    });

  const SETTLED = 'upload-settled-after-an-outage.json';
  it('fail to replay with a changed workflow', async () => {
    const text = await readFile(new URL(SETTLED, FOLDER), 'utf8');
    const other: unknown = JSON.parse(text.replaceAll('settleUpload', 'somethingElse'));
    const workflowBundle = await loadWorkflowBundle();
    await assert.rejects(Worker.runReplayHistory({ workflowBundle }, other, 'upload/recorded'));
  });
});
