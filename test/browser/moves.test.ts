import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Page } from 'playwright-core';
import type { Migration, RecommendationDetail } from '../../sdk/src/index.ts';
import { createCloudCustomer } from '../harness/cloud-customer.ts';
import { createMigrationCustomer, type MigrationCustomer } from '../harness/migration-customer.ts';
import { startMigrationService } from '../servers.ts';
import { describeInBrowser } from './browser-suite.ts';
import { heading } from './visitor.ts';

const MIB = 2 ** 20;
const OBJECTS = 30;
/** A month: more than what is stored, and not so much that B2 would bill the egress. */
const READ_GB = 0.04;
const LISTED_READ_GB = 0.1;
/** With the bucket's name in front, longer than a target's key may be. */
const LONG_KEY = `o/${'k'.repeat(1_010)}`;
const HEAVY = 'If twice what the bill shows is read, and all of it here';
/** The file of the reader's choice is one of the page's own. */
const OWN_FILES = `window.showSaveFilePicker = async () =>
  await (await navigator.storage.getDirectory()).getFileHandle('report', { create: true })`;
const READ_OWN_FILE = `navigator.storage.getDirectory()
  .then((folder) => folder.getFileHandle('report'))
  .then((handle) => handle.getFile())
  .then((file) => file.text())`;

describeInBrowser('recommendations and migrations in a browser', startMigrationService, (suite) => {
  let finished: Migration;
  before(async () => {
    const customer = await seed('acme', 0);
    finished = await customer.migrated(await customer.move());
  });

  const badge = (page: Page, title: string) => page.getByText(title, { exact: true }).first();

  /** An account with stores, and objects whose copies take `latencyMs`. */
  async function seed(account: string, latencyMs: number): Promise<MigrationCustomer> {
    const customer = await createMigrationCustomer(suite.stack, suite.service.baseUrl, account);
    const objects = Array.from({ length: OBJECTS }, (_, index) => ({
      key: `o/${index}.bin`,
      size: MIB,
    }));
    customer.put([...objects, { key: LONG_KEY, size: 70_000 }]);
    customer.readFromInternet(READ_GB);
    customer.double.addFault({
      effect: 'latency',
      operation: 'PutObject',
      bucket: customer.target,
      key: '*/o/*',
      latencyMs,
    });
    return customer;
  }

  /** In the widths that differ in their layout. */
  async function check(what: string): Promise<void> {
    for (const width of [360, 1440]) await suite.visitor.checkWidth(what, width);
  }

  async function openApproval(page: Page) {
    await page.getByRole('button', { name: 'Approve this move' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.waitFor();
    return dialog;
  }

  it('approves with the typed name, follows the migration to its end, and checks an object', async () => {
    // Longer than the page's pauses, of two seconds, on a busy machine.
    const customer = await seed('acme', 6_000);
    const { recommendationId } = await customer.recommend();
    const { page, visitor } = suite;
    await visitor.logIn('alice', '/dashboard/recommendations');
    await page.getByRole('link', { name: 'Move to Backblaze B2' }).click();
    await heading(page, 'Recommendation').waitFor();
    assert.equal(new URL(page.url()).pathname.split('/').at(-1), recommendationId);
    const quote = page.getByRole('table', { name: 'What it costs once' });
    await quote.waitFor();
    const lines = (await quote.getByRole('row').allInnerTexts()).join('\n');
    for (const line of ['Egress', 'Requests at the source', 'Total, once'])
      assert.ok(lines.includes(line), lines);
    assert.doesNotMatch(lines, /Retrieval/, 'a line of nothing');
    await page.getByText('The numbers').click();
    const months = page.getByRole('table', { name: /Cost since the start/ });
    await months.waitFor();
    const asExpected = await months.innerText();
    await page.getByLabel('Scenario of the plot').selectOption({ label: HEAVY });
    const { readScenarios } = await customer.client.scanner.recommendation(recommendationId);
    const [unread, , heavy] = readScenarios.map(({ stayMonthlyUsd }) => stayMonthlyUsd);
    assert.ok(heavy !== undefined && unread !== undefined && heavy > unread);
    const scenarios = page.getByRole('table', { name: /^What it withstands/ });
    const texts = await scenarios.getByRole('row').allInnerTexts();
    assert.deepEqual(
      texts.slice(1).map((text) => text.split('\t')[0]?.trim()),
      [
        'Half of what the bill shows Counted',
        'As the bill shows',
        HEAVY,
        'If that is done by your own machines in AWS',
      ],
    );
    assert.notEqual(await months.innerText(), asExpected);
    await check('a recommendation');

    const dialog = await openApproval(page);
    const told = await dialog.innerText();
    for (const word of [customer.source, customer.target, 'alice (acme)', 'not configured'])
      assert.ok(told.includes(word), told);
    await visitor.checkAccessibility('the approval');
    const confirm = dialog.getByRole('button', { name: 'Approve and copy' });
    assert.ok(await confirm.isDisabled());
    await dialog.getByLabel(`Type ${customer.source} to confirm`).fill(customer.source);
    await customer.client.providers.delete('aws');
    await confirm.click();
    await dialog.getByText('This store is not configured').waitFor();
    await customer.client.providers.save({
      provider: 'aws',
      ...customer.keys.source,
      bucketName: customer.source,
      region: 'us-east-1',
    });
    const fresh = await customer.recommend();
    await confirm.click();
    await page.getByText('This recommendation is no longer open', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'See the newest recommendation' }).click();
    await page.waitForURL(new RegExp(fresh.recommendationId));

    await page.getByRole('link', { name: 'Recommendations', exact: true }).click();
    // The list as it was before is shown for a moment.
    await page.locator(`a[href*="${fresh.recommendationId}"]`).click();
    const again = await openApproval(page);
    await again.getByLabel(`Type ${customer.source} to confirm`).fill(customer.source);
    await again.getByRole('button', { name: 'Approve and copy' }).click();
    await heading(page, 'Migration').waitFor();
    await badge(page, 'Copying').waitFor();
    const bar = page.getByRole('progressbar', { name: 'Done' });
    await bar.waitFor();
    const field = page.getByLabel('Key of an object');
    await field.fill('o/7.');
    await badge(page, 'Completed with failures').waitFor();
    // What was typed and the focus stay through the polling.
    await page.keyboard.type('bin');
    assert.equal(await field.inputValue(), 'o/7.bin');
    const failed = page.getByRole('region', { name: 'Objects that failed' });
    await failed.getByRole('heading', { name: 'Key too long for the target' }).waitFor();
    await page.keyboard.press('Enter');
    const migrationId = page.url().split('/').at(-1) ?? '';
    const line = (await customer.report(migrationId)).find(({ key }) => key === 'o/7.bin');
    await page.getByText(line?.sha256 ?? assert.fail('no line')).waitFor();
    await field.fill('o/none');
    await page.getByRole('button', { name: 'Check this object' }).click();
    await page.getByText('None of the').waitFor();
    await check('a migration');

    // Without the deep link's scan, and through the list.
    await page.getByRole('link', { name: 'Its recommendation' }).click();
    await page.getByRole('link', { name: 'See its migration' }).click();
    await heading(page, 'Migration').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    const toDo = `Some objects of ${customer.source} did not reach Backblaze B2: see which`;
    await page.getByRole('link', { name: toDo }).waitFor();
    await visitor.leave(/status of (?:400|409)/);
  });

  it('leads from a migration that left something to a source that may be deleted', async () => {
    const customer = await seed('acme', 0);
    const { migrationId } = await customer.migrated(await customer.move());
    const { page, visitor } = suite;
    await visitor.logIn('alice', `/dashboard/migrations/${migrationId}`);
    const list = page.getByRole('region', { name: 'Until the source is deleted' });
    // The key that was too long is shortened at the source, and another object is written.
    const s3 = customer.s3For(customer.source);
    const Bucket = customer.source;
    await s3.send(new DeleteObjectCommand({ Bucket, Key: LONG_KEY }));
    await s3.send(new PutObjectCommand({ Bucket, Key: 'o/late.bin', Body: 'late' }));
    await list.getByRole('button', { name: 'Start a round' }).click();
    const dialog = page.getByRole('alertdialog');
    await visitor.checkAccessibility('the dialog of a round');
    const limit = dialog.getByLabel('At most, in USD');
    await limit.fill('much');
    const start = dialog.getByRole('button', { name: 'Start the round' });
    assert.ok(await start.isDisabled());
    await limit.fill('0.50');
    await start.click();
    await badge(page, 'Completed').waitFor();
    await page.getByRole('table', { name: /^The first is the copy/ }).waitFor();
    await list.getByRole('button', { name: 'Check the source' }).click();
    await list.getByText('are proven to be at the target').waitFor();
    await list.getByRole('button', { name: 'Copy the commands' }).waitFor();
    await check('a migration whose source may be deleted');
    await s3.send(new PutObjectCommand({ Bucket, Key: 'o/later.bin', Body: 'later' }));
    await customer.client.migrations.beginRelease(migrationId);
    await customer.client.migrations.waitForRelease(migrationId, { pollMs: 50 });
    await page.reload();
    await list.getByText('It came after the latest round.').waitFor();
    await list.getByRole('button', { name: 'Start a round' }).waitFor();
    await check('a source that differs');
    await visitor.leave();
  });

  for (const [how, script] of [
    ['to the disk, where the browser can', OWN_FILES],
    ['as a download, where it cannot', 'delete window.showSaveFilePicker'],
  ] as const)
    it(`saves the report ${how}`, async () => {
      const { page, visitor } = suite;
      await page.addInitScript(script);
      await visitor.logIn('alice', `/dashboard/migrations/${finished.migrationId}`);
      const begun = script === OWN_FILES ? undefined : page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download the report' }).click();
      await page.getByText(`Complete: ${OBJECTS + 2} lines`).waitFor();
      const text = begun
        ? await readFile(await (await begun).path(), 'utf8')
        : await page.evaluate<string>(READ_OWN_FILE);
      const lines = text.trimEnd().split('\n');
      assert.equal(lines.length, OBJECTS + 2);
      const last = JSON.parse(lines.at(-1) ?? '') as { objectsCopied: number };
      assert.equal(last.objectsCopied, OBJECTS);
      await visitor.leave();
    });

  it('cancels a migration, which stays visible until all of it has stopped', async () => {
    const customer = await seed('globex', 4_000);
    const migrationId = await customer.move();
    const { page, visitor } = suite;
    await visitor.logIn('bob', `/dashboard/migrations/${migrationId}`);
    await badge(page, 'Copying').waitFor();
    await page.getByRole('button', { name: 'Cancel the migration' }).click();
    const dialog = page.getByRole('alertdialog');
    await visitor.checkAccessibility('the dialog of a cancel');
    await dialog.getByRole('button', { name: 'Stop copying' }).click();
    await badge(page, 'Cancelling').waitFor();
    await badge(page, 'Cancelled').waitFor();
    assert.equal((await customer.client.migrations.get(migrationId)).status, 'cancelled');
    await page.goto(`${suite.service.baseUrl}/dashboard/migrations?status=cancelled`);
    await page.getByRole('link', { name: customer.source }).waitFor();
    await page.getByLabel('State').selectOption('failed');
    await page.getByText('No migration is in this state.').waitFor();
    assert.match(page.url(), /status=failed/);
    await visitor.leave();
  });

  it('sorts, searches and exports the recommendations, and dismisses one for a time', async () => {
    const { stack, service } = suite;
    const customer = await createCloudCustomer(stack, service.baseUrl, [], 'globex');
    customer.readFromInternet(LISTED_READ_GB);
    for (let index = 1; index <= 12; index += 1) {
      const bucket = customer.bucket(`listed-${index}`);
      const object = { key: 'a', size: index * MIB, lastModified: '2026-11-01T00:00:00Z' };
      customer.double.seed({ bucket, objects: [object] });
    }
    const connectionId = (await customer.scan()).connectionId;
    const { page, visitor } = suite;
    await visitor.logIn('bob', `/dashboard/recommendations?connection=${connectionId}`);
    const rows = page.getByRole('table').getByRole('rowheader');
    const sizes = async () =>
      (await rows.allInnerTexts()).map((row) => Number(/listed-(\d+)-/.exec(row)?.[1]));
    const rising = Array.from({ length: 12 }, (_, index) => index + 1);
    await rows.nth(11).waitFor();
    assert.deepEqual(await sizes(), rising.toReversed());
    await page.getByRole('button', { name: 'Size', exact: true }).click();
    await page.getByRole('button', { name: 'Size', exact: true }).click();
    assert.deepEqual(await sizes(), rising);
    await page
      .getByRole('columnheader', { name: 'Size' })
      .and(page.locator('[aria-sort=ascending]'))
      .waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Export as CSV/ }).click();
    const lines = (await readFile(await (await saved).path(), 'utf8')).trimEnd().split('\r\n');
    assert.deepEqual(
      [lines.length, lines[0]?.split(',').slice(0, 2)],
      [13, ['What', 'Saves a month']],
    );
    await page.getByRole('searchbox').fill('listed-7');
    assert.deepEqual(await sizes(), [7]);

    await page.getByRole('link', { name: 'Move to Backblaze B2' }).click();
    await page.getByRole('button', { name: 'Dismiss for a time' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByLabel('Why').fill('It is read again in spring.');
    await visitor.checkAccessibility('the dialog of a dismissal');
    await dialog.getByRole('button', { name: 'Dismiss', exact: true }).click();
    await page.getByText('It is read again in spring.').waitFor();
    await page.goto(`${service.baseUrl}/dashboard/recommendations?connection=${connectionId}`);
    await rows.nth(10).waitFor();
    assert.equal((await sizes()).includes(7), false);
    await page.getByLabel('State').selectOption('dismissed');
    await page.getByText('Dismissed until').waitFor();
    assert.deepEqual(await sizes(), [7]);
    await page.getByLabel('State').selectOption('superseded');
    await page.getByText('No recommendation is in this state.').waitFor();
    await visitor.leave();
  });

  it('shows an option that the store refuses, and why it cannot be approved', async () => {
    const { page, visitor } = suite;
    const customer = await seed('acme', 0);
    const { recommendationId } = await customer.recommend();
    const message = 'More is read each month than the store lets out.';
    await page.route(`**/v1/scanner/recommendations/${recommendationId}`, async (route) => {
      const response = await route.fetch();
      const found = (await response.json()) as RecommendationDetail;
      const blockers = [{ code: 'egress_refused', message, objects: OBJECTS }];
      const options = found.options.map((option) => ({ ...option, blockers }));
      await route.fulfill({ response, json: { ...found, options } });
    });
    await visitor.logIn('alice', `/dashboard/recommendations/${recommendationId}`);
    await page.getByText('Cannot be approved').first().waitFor();
    await page.getByText(`Backblaze B2: ${message} It cannot be approved.`).waitFor();
    await check('an option that is refused');
    const dialog = await openApproval(page);
    await dialog.getByText(`Backblaze B2 cannot be chosen: ${message}`).waitFor();
    assert.equal(await dialog.getByRole('radio').count(), 0);
    await check('an approval without a choice');
    await visitor.leave();
  });

  it('shows nothing of another account', async () => {
    const { page, visitor } = suite;
    await visitor.logIn('bob', `/dashboard/migrations/${finished.migrationId}`);
    await page.getByText('Migration not found', { exact: true }).waitFor();
    await page.goto(
      `${suite.service.baseUrl}/dashboard/recommendations/${finished.recommendationId}`,
    );
    await page.getByText('Recommendation not found', { exact: true }).waitFor();
    await visitor.leave(/status of 404/);
  });
});
