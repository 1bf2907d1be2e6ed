import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { createClient } from '../../sdk/src/index.ts';
import { trustPolicy } from '../harness/cloud-customer.ts';
import { createMigrationCustomer, type MigrationCustomer } from '../harness/migration-customer.ts';
import { startMigrationService } from '../servers.ts';
import { describeInBrowser } from './browser-suite.ts';
import { allowUploads } from './own-bucket.ts';
import { heading, untilLoaded } from './visitor.ts';
import { VIEWS } from './views.ts';

const MIB = 2 ** 20;
const OBJECTS = 20;
/** A month: more than what is stored, and not so much that B2 would bill the egress. */
const READ_GB = 0.13;

let customer: MigrationCustomer;

describeInBrowser(
  'the whole story in a browser',
  async () => {
    const isolated = await startMigrationService();
    customer = await createMigrationCustomer(isolated.stack, isolated.service.baseUrl, 'acme');
    return isolated;
  },
  (suite) => {
    before(async () => {
      for (const bucket of [customer.source, customer.target])
        await allowUploads(customer.s3For(bucket), bucket, suite.service.baseUrl);
      customer.readFromInternet(READ_GB);
      customer.put(
        Array.from({ length: OBJECTS }, (_, index) => ({ key: `o/${index}.bin`, size: 5 * MIB })),
      );
    });

    const open = async (page: Page, title: string) =>
      await page.getByRole('link', { name: title, exact: true }).click();

    async function issueKey(page: Page, button: string): Promise<string> {
      const notice = page.getByRole('status').filter({ hasText: 'shown only once' });
      await page.getByRole('button', { name: button }).first().click();
      if (button === 'Rotate')
        await page.getByRole('alertdialog').getByRole('button', { name: button }).click();
      const key = (await notice.locator('code').textContent()) ?? '';
      await notice.getByRole('button', { name: 'I have stored it' }).click();
      return key;
    }

    it('leads from the login through upload, audit, approval and migration to a rotated key', async () => {
      const { page, visitor } = suite;
      await visitor.logIn('alice', '/dashboard');

      await open(page, 'Key');
      const firstKey = await issueKey(page, 'Issue the key');
      await page.getByLabel('Key for the upload').fill(firstKey);
      const film = { name: 'film.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(MIB, 7) };
      await page.getByLabel('File').setInputFiles(film);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByText(/^Stored at /).waitFor();

      await open(page, 'Audit');
      await page.getByRole('link', { name: 'Connect an AWS account' }).click();
      await heading(page, 'Connect an AWS account').waitFor();
      const externalId = await page.getByLabel('External id').inputValue();
      customer.putRole({ trustPolicy: trustPolicy({ 'sts:ExternalId': externalId }) });
      await page.getByLabel('ARN of the role').fill(customer.roleArn);
      await page.getByRole('button', { name: 'Connect', exact: true }).click();
      await page.getByRole('button', { name: 'Start an audit' }).first().click();
      await page.getByRole('heading', { name: 'Audit of an account' }).waitFor();
      await page.getByText('You save', { exact: true }).waitFor();

      await open(page, 'Recommendations');
      const move = page.getByRole('row').filter({ hasText: customer.source });
      await move.getByRole('link', { name: 'Move to Backblaze B2' }).click();
      await page.getByRole('button', { name: 'Approve this move' }).click();
      const dialog = page.getByRole('alertdialog');
      await dialog.getByLabel(`Type ${customer.source} to confirm`).fill(customer.source);
      await dialog.getByRole('button', { name: 'Approve and copy' }).click();
      await heading(page, 'Migration').waitFor();
      await page.getByText('Completed', { exact: true }).first().waitFor();
      const [source, target] = [
        await customer.hashes(customer.source),
        await customer.hashes(customer.target),
      ];
      for (const [key, hash] of source)
        if (key.startsWith('o/')) assert.equal(target.get(`${customer.source}/${key}`), hash, key);

      await open(page, 'Key');
      const rotated = await issueKey(page, 'Rotate');
      const { baseUrl } = suite.service;
      await createClient({ baseUrl, apiKey: rotated }).me();
      await assert.rejects(createClient({ baseUrl, apiKey: firstKey }).me(), { status: 401 });

      await open(page, 'Overview');
      await page.getByText('in 1 upload', { exact: true }).waitFor();
      await page.getByRole('link', { name: `Delete the source of ${customer.source}` }).waitFor();
      await visitor.leave();
    });

    it('has no violation that axe finds, and no view that is too wide', async () => {
      const { page, visitor } = suite;
      await visitor.logIn('alice', '/dashboard');
      for (const path of await filledViews()) {
        await page.goto(`${suite.service.baseUrl}${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await untilLoaded(page);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          for (const width of [360, 768, 1440])
            await visitor.checkWidth(`${path}, ${colorScheme}`, width);
        }
      }
      await visitor.leave();
    });

    /** Every view, with what the story has left. */
    async function filledViews(): Promise<string[]> {
      const { analytics, migrations, scanner } = customer.client;
      const [file] = (await analytics.routingHistory()).items;
      const [scan] = (await scanner.history()).items;
      const [migration] = (await migrations.list()).items;
      return [
        ...VIEWS.map(([, path]) => path),
        `/dashboard/usage/files/${file?.fileId}`,
        `/dashboard/audit/scans/${scan?.scanId}`,
        `/dashboard/audit/scans/${scan?.scanId}/report`,
        `/dashboard/recommendations/${migration?.recommendationId}`,
        `/dashboard/migrations/${migration?.migrationId}`,
      ];
    }
  },
  () => ({ store: customer.double.s3Endpoint }),
);
