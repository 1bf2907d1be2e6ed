import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { createClient } from '../../sdk/src/index.ts';
import { createMigrationCustomer } from '../harness/migration-customer.ts';
import { openOwnPlace, type OwnPlace } from '../harness/own-place.ts';
import { startMigrationService } from '../servers.ts';
import { describeInBrowser } from './browser-suite.ts';
import { heading } from './visitor.ts';

const FILES = 3;

describeInBrowser('exit drills in a browser', startMigrationService, (suite) => {
  let source: OwnPlace;
  let target: OwnPlace;
  afterEach(() => suite.stack.cloud?.double.clearFaults());

  /** An account with files at AWS S3, and with B2 as the place to leave to. */
  async function seed(account: string) {
    const { stack, service, identity } = suite;
    const { baseUrl } = service;
    const client = createClient({ baseUrl, dashboardToken: identity.issueToken({ account }) });
    [source, target] = [openOwnPlace(stack), openOwnPlace(stack)];
    await client.providers.save(source.settings());
    const { apiKey } = await client.apiKey.regenerate();
    const uploader = createClient({ baseUrl, apiKey });
    for (let file = 0; file < FILES; file += 1)
      await uploader.upload({ source: new Uint8Array(1_000_000), fileName: 'a.bin' });
    await client.providers.save({ ...target.settings(), provider: 'b2' });
    return client;
  }

  const slowDown = (latencyMs: number) =>
    suite.stack.cloud?.double.addFault({
      effect: 'latency',
      operation: 'PutObject',
      bucket: target.name,
      // The copies only: a start writes an object of its own first.
      key: 'drill/*/0000*',
      latencyMs,
    });
  const badge = (page: Page, title: string) => page.getByText(title, { exact: true }).first();
  /** In the widths that differ in their layout. */
  async function check(what: string): Promise<void> {
    for (const width of [360, 1440]) await suite.visitor.checkWidth(what, width);
  }
  /** Up to the dialog with the estimate. */
  async function choose(page: Page, files: string) {
    await page.getByRole('button', { name: 'Try an exit' }).click();
    await page
      .getByLabel('From')
      .selectOption({ label: `Your files at ${source.name} (AWS S3, us-east-1)` });
    await page.getByLabel(/^Files/).fill(files);
    await page.getByRole('button', { name: 'Show the estimate' }).click();
    return page.getByRole('alertdialog');
  }

  it('shows the estimate, follows the drill to its end, and gives its certificate', async () => {
    const { page, visitor } = suite;
    const client = await seed('globex');
    slowDown(3_000);
    await visitor.logIn('bob', '/dashboard/drills');
    await page.getByText('No exit was tried yet').waitFor();
    const dialog = await choose(page, '2');
    await dialog.getByText('2 files, at most 2.1 MB').waitFor();
    assert.match(await dialog.innerText(), /Egress[\s\S]*Total, once[\s\S]*Reading it back/);
    assert.match(await dialog.getByLabel('At most, in USD').inputValue(), /^\d+\.\d\d$/);
    await check('the estimate of a drill');
    assert.deepEqual((await client.drills.list()).items, []);
    await dialog.getByRole('button', { name: 'Start the drill' }).click();

    await heading(page, 'Exit drill').waitFor();
    await badge(page, 'Copying').waitFor();
    await page.getByRole('progressbar', { name: 'Done' }).waitFor();
    await check('a drill that copies');
    await badge(page, 'Completed').waitFor({ timeout: 60_000 });
    await page.getByText('All 2 files came through as they were.').waitFor();
    await page.getByText(`Nothing of the drill is left in the bucket ${target.name}.`).waitFor();
    await page.getByText(/^All 3 files, 3 MB: under 0.1 hours with two workers, /).waitFor();
    await page.getByText('1 object not in the sample').waitFor();
    assert.deepEqual((await target.contents()).objects, []);
    await check('a drill that has ended');

    const save = async (as: string) => {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: `Download the certificate as ${as}` }).click();
      return await readFile(await (await saved).path());
    };
    const json = await save('JSON');
    const sha256 = createHash('sha256').update(json).digest('hex');
    await page.getByRole('region', { name: 'The certificate' }).getByText(sha256).waitFor();
    assert.ok((await save('HTML')).includes(sha256));
    await page.getByRole('link', { name: 'All drills' }).click();
    const list = page.getByRole('table', { name: 'Exit drills, the newest first' });
    await list.getByRole('link', { name: source.name }).waitFor();
    assert.match(await list.innerText(), /Completed[\s\S]*2 of 2[\s\S]*by bob/);
    await check('the list of drills');
    await visitor.leave();
  });

  it('samples a bucket that an audit has read, shows what failed, and tries it every quarter', async () => {
    const { page, visitor, stack, service } = suite;
    const customer = await createMigrationCustomer(stack, service.baseUrl, 'globex');
    customer.put([1, 2, 3].map((at) => ({ key: `o/${at}`, size: 1_000_000 })));
    customer.addFaults([
      { side: 'target', effect: 'truncate', operation: 'GetObject', key: 'drill/*/00002' },
    ]);
    const { connectionId } = await customer.scan();
    const estimate = page.getByRole('button', { name: 'Show the estimate' });
    const fill = async () => {
      await page.getByRole('button', { name: 'Try an exit' }).click();
      const from = page.getByLabel('From');
      await from.selectOption({ label: `A bucket of AWS account ${customer.awsAccount}` });
      await page.getByLabel('Sample').selectOption({ label: 'An amount of data' });
      assert.ok(await estimate.isDisabled());
      await page.getByLabel('Bucket', { exact: true }).selectOption({ label: customer.source });
      await page.getByLabel('GB').fill('0.003');
    };
    await visitor.logIn('bob', '/dashboard/drills');
    await fill();
    await check('the form of a drill');
    await estimate.click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('3 files, at most 3 MB').waitFor();
    await dialog.getByRole('button', { name: 'Start the drill' }).click();
    await badge(page, 'Completed').waitFor({ timeout: 60_000 });
    await page.getByText('2 of 3 files came through as they were.').waitFor();
    await page.getByRole('heading', { name: 'Other bytes at the target' }).waitFor();
    await check('a drill with a failure');
    await page.getByRole('link', { name: 'All drills' }).click();
    await page.getByText('1 failed').waitFor();

    const schedule = page.getByRole('region', { name: 'Schedule' });
    await schedule.getByText('An exit is tried only when you start it.').waitFor();
    await fill();
    await page.getByLabel('When').selectOption({ label: 'Every quarter' });
    await page.getByLabel('At', { exact: true }).selectOption({ label: '05:00 UTC' });
    await estimate.click();
    const title = `Try the exit of ${customer.source} every quarter at 05:00 UTC?`;
    await dialog.getByRole('heading', { name: title }).waitFor();
    await dialog.getByLabel('At most, in USD').fill('2.50');
    await check('the estimate of a scheduled drill');
    await dialog.getByRole('button', { name: 'Set the schedule' }).click();
    await schedule.getByText(/^An exit is tried every quarter at 05:00 UTC, next /).waitFor();
    assert.match(await schedule.innerText(), /3 MB[\s\S]*\$2\.50/);
    assert.deepEqual((await customer.client.drills.schedule())?.drill, {
      from: { connectionId, bucketName: customer.source },
      to: 'b2',
      sample: { bytes: 3_000_000 },
      maxTotalUsd: 2.5,
    });
    await check('a schedule of drills');
    await schedule.getByRole('button', { name: 'Remove the schedule' }).click();
    await schedule.getByText('An exit is tried only when you start it.').waitFor();
    assert.equal(await customer.client.drills.schedule(), null);
    await visitor.leave();
  });

  it('shows a refusal, a drill that runs at the place already, and a cancel', async () => {
    const { page, visitor } = suite;
    await seed('acme');
    slowDown(20_000);
    await visitor.logIn('alice', '/dashboard/drills');
    const dialog = await choose(page, '10000');
    await dialog.getByText(`${FILES} files, at most 3 MB`).waitFor();
    const limit = dialog.getByLabel('At most, in USD');
    const start = dialog.getByRole('button', { name: 'Start the drill' });
    await limit.fill('a lot');
    assert.ok(await start.isDisabled());
    await limit.fill('0');
    await start.click();
    await dialog.getByText('It would cost more than you allowed').waitFor();
    await check('a drill that is refused');
    await limit.fill('1');
    await start.click();
    await badge(page, 'Copying').waitFor();
    await page.getByRole('link', { name: 'All drills' }).click();
    const again = await choose(page, '1');
    await again.getByRole('button', { name: 'Start the drill' }).click();
    await again.getByText('An exit drill of this place is running', { exact: true }).waitFor();
    await again.getByRole('button', { name: 'Cancel' }).click();
    const list = page.getByRole('table', { name: 'Exit drills, the newest first' });
    await list.getByRole('progressbar').waitFor();
    await check('a drill that runs, in the list');
    await list.getByRole('link', { name: source.name }).click();
    await page.getByRole('button', { name: 'Cancel the drill' }).click();
    await visitor.checkAccessibility('the dialog of a cancel');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Stop the drill' }).click();
    await badge(page, 'Cancelled').waitFor({ timeout: 60_000 });
    await page.getByText(`Nothing of the drill is left in the bucket ${target.name}.`).waitFor();
    assert.deepEqual((await target.contents()).objects, []);
    await check('a drill that was cancelled');
    await visitor.leave(/status of 409/);
  });
});
