import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { Page, Route } from 'playwright-core';
import { createClient } from '../../sdk/src/index.ts';
import { openOwnPlace, type OwnPlace } from '../harness/own-place.ts';
import { startMigrationService } from '../servers.ts';
import { describeInBrowser } from './browser-suite.ts';
import { heading } from './visitor.ts';

const FILES = 3;
const start = () =>
  startMigrationService({
    environment: {
      DOWNLOAD_URL_SECONDS: '8',
      RELOCATION_DRAIN_SECONDS: '1',
      UPLOAD_URL_SECONDS: '3',
    },
  });

describeInBrowser('relocations in a browser', start, (suite) => {
  let earlier: OwnPlace;
  let current: OwnPlace;
  let other: OwnPlace;
  afterEach(() => suite.stack.cloud?.double.clearFaults());

  /** An account whose files are at a former place of AWS S3, and that has B2, too. */
  async function seed(account: string) {
    const { stack, service, identity } = suite;
    const { baseUrl } = service;
    const dashboardToken = identity.issueToken({ account });
    const client = createClient({ baseUrl, dashboardToken });
    [earlier, current, other] = [openOwnPlace(stack), openOwnPlace(stack), openOwnPlace(stack)];
    await client.providers.save(earlier.settings());
    const { apiKey } = await client.apiKey.regenerate();
    const uploader = createClient({ baseUrl, apiKey });
    const upload = async () => {
      const source = new Uint8Array(1_000_000);
      return (await uploader.upload({ source, fileName: 'a.bin', priority: 'archive' })).fileId;
    };
    const fileIds: string[] = [];
    while (fileIds.length < FILES) fileIds.push(await upload());
    await client.providers.save(current.settings());
    await client.providers.save({ ...other.settings(), provider: 'b2' });
    return { client, uploader, upload, fileIds };
  }

  const slowDown = (place: OwnPlace, latencyMs: number) =>
    suite.stack.cloud?.double.addFault({
      effect: 'latency',
      operation: 'PutObject',
      bucket: place.name,
      // The objects of files only: a start writes an object of its own first.
      key: '*a.bin',
      latencyMs,
    });
  const badge = (page: Page, title: string) => page.getByText(title, { exact: true }).first();
  /** In the widths that differ in their layout. */
  async function check(what: string): Promise<void> {
    for (const width of [360, 1440]) await suite.visitor.checkWidth(what, width);
  }

  it('moves the files of a former place, after its estimate, and follows them to the end', async () => {
    const { page, visitor } = suite;
    const { uploader, fileIds } = await seed('globex');
    slowDown(current, 3_000);
    await visitor.logIn('bob', '/dashboard/providers');
    await page.getByRole('button', { name: `Move ${FILES} files of ${earlier.name}` }).click();
    const dialog = page.getByRole('alertdialog');
    const quote = dialog.getByRole('table', { name: /^The estimate/ });
    await quote.getByRole('columnheader', { name: 'To AWS S3' }).waitFor();
    await dialog.getByText(`${FILES} files, 3 MB`).waitFor();
    const to = dialog.getByLabel('To', { exact: true });
    await to.selectOption({ label: `${other.name} (Backblaze B2)` });
    await quote.getByRole('columnheader', { name: 'To Backblaze B2' }).waitFor();
    assert.match(await quote.innerText(), /Egress[\s\S]*Total, once/);
    await check('the estimate of a relocation');
    await to.selectOption({ label: `${current.name} (AWS S3)` });
    await dialog.getByRole('button', { name: `Move ${FILES} files` }).click();

    await heading(page, 'Relocation').waitFor();
    await badge(page, 'Copying').waitFor();
    await page.getByRole('progressbar', { name: 'Done' }).waitFor();
    await check('a relocation that copies');
    await badge(page, 'Draining').waitFor();
    for (const fileId of fileIds) {
      const { body } = await uploader.download(fileId);
      assert.equal((await new Response(body).arrayBuffer()).byteLength, 1_000_000);
    }
    assert.equal((await current.contents()).objects.length, FILES);
    await badge(page, 'Completed').waitFor({ timeout: 60_000 });
    assert.deepEqual((await earlier.contents()).objects, []);
    await check('a relocation that has ended');

    await page.addInitScript('delete window.showSaveFilePicker');
    await page.reload();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the report' }).click();
    await page.getByText(`Complete: ${FILES + 1} lines`).waitFor();
    const lines = (await readFile(await (await saved).path(), 'utf8')).trimEnd().split('\n');
    assert.equal((JSON.parse(lines.at(-1) ?? '') as { filesMoved: number }).filesMoved, FILES);
    await page.getByRole('link', { name: 'All relocations' }).click();
    const list = page.getByRole('table', { name: 'Relocations, the newest first' });
    await list.getByRole('link', { name: earlier.name }).waitFor();
    assert.match(await list.innerText(), /Completed[\s\S]*3 of 3[\s\S]*by bob/);
    await check('the list of relocations');
    await visitor.leave();
  });

  it('shows a refusal with the new estimate, what failed, and a cancel', async () => {
    const { page, visitor } = suite;
    const { upload } = await seed('acme');
    await upload();
    await visitor.logIn('alice', '/dashboard/providers');
    await page.getByRole('button', { name: 'Move files of Backblaze B2' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('1 file, 1 MB').waitFor();
    await upload();
    // What the two files cost is below a cent, too.
    const lowerLimit = async (route: Route) => {
      const body = route.request().postDataJSON() as { maxTotalUsd?: number };
      const isStart = body.maxTotalUsd !== undefined;
      await route.continue(isStart ? { postData: { ...body, maxTotalUsd: 0 } } : {});
    };
    await page.route('**/v1/relocations', lowerLimit);
    await dialog.getByRole('button', { name: 'Move 1 file' }).click();
    await dialog.getByText('It would cost more than you allowed').waitFor();
    await dialog.getByText('2 files, 2 MB').waitFor();
    await page.unroute('**/v1/relocations');
    await check('a start that is refused');
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    const [Key] = (await earlier.contents()).objects;
    await earlier.s3.send(new PutObjectCommand({ Bucket: earlier.name, Key, Body: 'another' }));
    slowDown(current, 20_000);
    const startMove = async () => {
      await page.getByRole('button', { name: `Move ${FILES} files of ${earlier.name}` }).click();
      await dialog.getByRole('button', { name: `Move ${FILES} files` }).click();
    };
    await startMove();
    await badge(page, 'Copying').waitFor();
    await page.getByRole('link', { name: 'Providers' }).click();
    await startMove();
    await dialog.getByText('A relocation from this place is running').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Migrations' }).click();
    const list = page.getByRole('table', { name: 'Relocations, the newest first' });
    await list.getByRole('progressbar').waitFor();
    await check('a relocation that runs, in the list');
    await list.getByRole('link', { name: earlier.name }).click();
    await page.getByRole('button', { name: 'Cancel the relocation' }).click();
    await visitor.checkAccessibility('the dialog of a cancel');
    await dialog.getByRole('button', { name: 'Stop moving' }).click();
    await page.getByText('Stopping: no further file is moved.').waitFor();
    await badge(page, 'Cancelled').waitFor();
    await page.getByRole('heading', { name: 'Not the object that was uploaded' }).waitFor();
    await check('a relocation that was cancelled');
    await visitor.leave(/status of 409/);
  });
});
