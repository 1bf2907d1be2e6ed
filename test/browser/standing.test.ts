import assert from 'node:assert/strict';
import { toCredentials } from '../../dev/first-account.ts';
import { createClient, type StorageRoutingClient } from '../../sdk/src/index.ts';
import { openTemporalClient } from '../harness/temporal.ts';
import { startWebhookServer, type WebhookServer } from '../harness/webhook-receiver.ts';
import { startIsolatedService } from '../servers.ts';
import { describeInBrowser } from './browser-suite.ts';
import { auditSampleAccount } from './sample-audit.ts';
import { heading } from './visitor.ts';

const NARROW = 360;
const WIDE = 1_440;
/** Of the configured stores that are audited by their keys. */
const TITLES = ['Cloudflare R2', 'Backblaze B2'];
let receiver: WebhookServer;

describeInBrowser(
  'standing advice in a browser',
  async () => {
    receiver = await startWebhookServer();
    const environment = { DEFAULT_PLAN: 'enterprise', ...receiver.environment };
    return await startIsolatedService({ environment });
  },
  (suite) => {
    let client: StorageRoutingClient;
    before(async () => {
      const { baseUrl } = suite.service;
      const dashboardToken = suite.identity.issueToken({ account: 'acme' });
      client = createClient({ baseUrl, dashboardToken });
      const temporal = await openTemporalClient(suite.stack);
      const workflowId = 'sweep-webhooks-now';
      await temporal.workflow.start('sweepWebhooks', { taskQueue: 'webhooks', workflowId });
      await temporal.connection.close();
    });
    after(async () => await receiver?.close());

    it('adds a webhook, shows its secret once, and what became of a test; removes it', async () => {
      const { page, visitor } = suite;
      await visitor.logIn('alice', '/dashboard/webhooks');
      await page.getByText('There are no webhooks yet.').waitFor();
      await page.getByRole('button', { name: 'Add a webhook' }).click();
      await page.getByRole('checkbox', { name: 'A move has ended' }).uncheck();
      await page.getByLabel('Address').fill('https://10.0.0.1/');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('The host has an address that is not public.').first().waitFor();
      await visitor.checkAccessibility('the form with an error');
      await page.getByLabel('Address').fill(receiver.url('hook'));
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      const notice = page.getByRole('status').filter({ hasText: 'shown only once' });
      assert.match((await notice.locator('code').textContent()) ?? '', /^whsec_/);
      await notice.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByRole('button', { name: 'Send a test to' }).click();
      await page.getByRole('cell', { name: 'Delivered' }).waitFor();
      await page.getByRole('cell', { name: 'Status 204' }).waitFor();
      assert.equal(receiver.arrived('hook').length, 1);
      const [webhook] = (await client.webhooks.list()).items;
      assert.ok(webhook && !webhook.events.includes('migration.ended'));
      for (const width of [NARROW, WIDE]) await visitor.checkWidth('the webhooks', width);
      await page.getByRole('button', { name: 'Replace the secret of' }).click();
      await page.getByRole('button', { name: 'Replace', exact: true }).click();
      await notice.waitFor();
      await page.getByRole('button', { name: 'Remove localhost' }).click();
      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      await page.getByText('There are no webhooks yet.').waitFor();
      await visitor.leave(/status of 400/);
    });

    it('sets and removes a schedule, and begins an audit with what has changed, and why', async () => {
      const { page, visitor } = suite;
      const cloud = suite.stack.cloud ?? assert.fail('the AWS double is elsewhere');
      await configureStores();
      const { to } = await auditSampleAccount(client, cloud);
      await visitor.logIn('alice', '/dashboard/audit');
      await page.getByText('Audited only when you start it.').waitFor();
      await visitor.checkAccessibility('the audit without a schedule');
      await page.getByRole('button', { name: 'Set a schedule of' }).click();
      await page.getByLabel('How often').selectOption('month');
      await page.getByLabel('At', { exact: true }).selectOption('23');
      await visitor.checkAccessibility('the form of a schedule');
      await page.getByRole('button', { name: 'Set the schedule', exact: true }).click();
      await page.getByText('Audited every month at 23:00 UTC').waitFor();
      const [connection] = (await client.scanner.connections()).items;
      assert.deepEqual([connection?.schedule?.every, connection?.schedule?.hourUtc], ['month', 23]);
      for (const width of [NARROW, WIDE]) await visitor.checkWidth('the audit', width);
      await page.getByRole('button', { name: 'Remove the schedule of' }).click();
      await page.getByText('Audited only when you start it.').waitFor();

      await page.goto(`${suite.service.baseUrl}/dashboard/audit/scans/${to}`);
      await heading(page, 'Audit of an account').waitFor();
      const changed = page.getByRole('region', { name: 'What has changed' });
      await changed.getByText(/a month more than on/).waitFor();
      await changed.getByRole('cell', { name: '$' }).first().waitFor();
      await changed.getByText('Changed or older objects').waitFor();
      const titles = await page.getByRole('heading', { level: 2 }).allTextContents();
      assert.equal(titles[0], 'What has changed');
      for (const width of [NARROW, WIDE]) await visitor.checkWidth('what has changed', width);
      await visitor.leave();
    });

    it('connects a store by its stored keys, audits it, and disconnects it; the keys stay', async () => {
      const { page, visitor } = suite;
      await configureStores();
      await visitor.logIn('alice', '/dashboard/audit');
      await page.getByRole('link', { name: 'Connect a store' }).click();
      await heading(page, 'Connect a store').waitFor();
      const stores = page.getByLabel('Store', { exact: true });
      assert.deepEqual(await stores.locator('option').allTextContents(), TITLES);
      await stores.selectOption({ label: 'Backblaze B2' });
      for (const width of [NARROW, WIDE]) await visitor.checkWidth('a store to connect', width);
      await page.getByRole('button', { name: 'Connect', exact: true }).click();
      const card = page.getByRole('region', { name: 'Backblaze B2', exact: true });
      await card.getByText('All buckets that the stored keys can list').waitFor();
      for (const width of [NARROW, WIDE]) await visitor.checkWidth('a connected store', width);
      await card.getByRole('button', { name: 'Start an audit of Backblaze B2' }).click();
      await heading(page, 'Audit of a store').waitFor();
      await page.getByText(/Backblaze B2, an audit of .*: completed/).waitFor();
      await page.getByText('on your bill of Backblaze B2').waitFor({ state: 'attached' });
      for (const width of [NARROW, WIDE]) await visitor.checkWidth('the audit of a store', width);

      await page.getByRole('link', { name: 'All audits' }).click();
      await page.getByRole('cell', { name: 'Backblaze B2' }).first().waitFor();
      await card.getByRole('button', { name: 'Disconnect Backblaze B2' }).click();
      await page.getByText('continue with the stored credentials').waitFor();
      await visitor.checkAccessibility('the question before a store is disconnected');
      await page.getByRole('button', { name: 'Disconnect', exact: true }).click();
      await card.waitFor({ state: 'detached' });
      const { items } = await client.providers.list();
      assert.ok(items.some(({ provider }) => provider === 'b2'));
      await visitor.leave();
    });

    async function configureStores(): Promise<void> {
      for (const provider of ['aws', 'r2', 'b2'] as const)
        await client.providers.save(toCredentials(provider, suite.stack.environment));
    }
  },
);
