import assert from 'node:assert/strict';
import type { Page, Route } from 'playwright-core';
import { createClient, type StorageRoutingClient } from '../../sdk/src/index.ts';
import { openStripeProxy, type StripeProxy } from '../harness/stripe-proxy.ts';
import {
  deliver,
  PRICES,
  stripeEnvironment,
  subscriptionEvent,
} from '../integration/service/billing-harness.ts';
import { localServers, startIsolatedService } from '../servers.ts';
import { describeInBrowser } from './browser-suite.ts';
import { allowUploads, createOwnBucket } from './own-bucket.ts';
import { heading, untilLoaded } from './visitor.ts';

const MIB = 1024 * 1024;
/** How often a view that nothing runs in asks again. */
const POLL_MS = 30_000;
const CHECKOUT = 'https://checkout.stripe.com';
const NO_STRIPE = {
  STRIPE_SECRET_KEY: '',
  STRIPE_WEBHOOK_SECRET: '',
  STRIPE_PRICE_STARTER: '',
  STRIPE_PRICE_GROWTH: '',
  STRIPE_API_URL: '',
};

let stripe: StripeProxy;

describeInBrowser(
  'usage, key and plan in a browser',
  async () => {
    stripe = await openStripeProxy((await localServers()).stack);
    return await startIsolatedService({
      environment: { DEFAULT_PLAN: 'free', ...stripeEnvironment(stripe.url) },
    });
  },
  (suite) => {
    let bucket: Awaited<ReturnType<typeof createOwnBucket>>;
    before(async () => {
      bucket = await createOwnBucket(suite.stack, 'aws');
      for (const account of ['acme', 'globex'])
        await clientOf(account).providers.save(bucket.place);
    });
    after(async () => {
      bucket.s3.destroy();
      await stripe.close();
    });

    const clientOf = (account: string): StorageRoutingClient =>
      createClient({
        baseUrl: suite.service.baseUrl,
        dashboardToken: suite.identity.issueToken({ account }),
      });

    const allowPage = () => allowUploads(bucket.s3, bucket.place.bucketName, suite.service.baseUrl);

    async function chooseFile(page: Page, name: string, bytes: number): Promise<void> {
      const buffer = Buffer.alloc(bytes, 7);
      await page.getByLabel('File').setInputFiles({ name, mimeType: 'video/mp4', buffer });
    }

    it('issues the key, shown once; an upload that CORS refuses goes on after the rule is set', async () => {
      const { page, visitor } = suite;
      await visitor.logIn('alice', '/dashboard/key');
      await page.getByRole('button', { name: 'Issue the key' }).click();
      const notice = page.getByRole('status').filter({ hasText: 'shown only once' });
      const apiKey = (await notice.locator('code').textContent()) ?? '';
      assert.match(apiKey, /^svc_test_/);
      await notice.getByRole('button', { name: 'Copy the key' }).waitFor();
      assert.equal(await page.getByLabel('Key for the upload').inputValue(), apiKey);
      await visitor.checkAccessibility('the new key');

      await chooseFile(page, 'film.mp4', 3 * MIB);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByText('This page could not reach the store').waitFor();
      assert.equal(await page.getByRole('link', { name: 'Test the store' }).count(), 1);
      await visitor.checkAccessibility('an upload that has stopped');
      await allowPage();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('Stored at AWS S3.').waitFor();

      await notice.getByRole('button', { name: 'I have stored it' }).click();
      assert.ok(!(await page.locator('main').innerText()).includes(apiKey));
      await page.getByRole('link', { name: /^Why AWS S3/ }).click();
      await heading(page, 'Routing decision').waitFor();
      const costs = page.getByRole('table', { name: /What each of your stores would cost/ });
      await costs.waitFor();
      assert.match(
        (await costs.getByRole('row').allInnerTexts()).join('\n'),
        /AWS S3 Chosen\s+<?\$/,
      );
      await page.getByText('Not the first choice').waitFor();
      await visitor.leave(/CORS|Failed to load resource/);
    });

    it('sends parts, keeps what is confirmed when it is cancelled, and sends the rest', async () => {
      const { page, visitor } = suite;
      await allowPage();
      const { apiKey } = await clientOf('acme').apiKey.regenerate();
      const held: Route[] = [];
      const sent: string[] = [];
      let isHolding = true;
      await page.route(`${bucket.endpoint}/**`, async (route) => {
        const part = new URL(route.request().url()).searchParams.get('partNumber') ?? '';
        if (isHolding && part !== '1') return void held.push(route);
        if (route.request().method() === 'PUT') sent.push(part);
        await route.continue();
      });
      await visitor.logIn('alice', '/dashboard/key');
      await page.getByLabel('Key for the upload').fill(apiKey);
      await chooseFile(page, 'film.mp4', 20 * MIB);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByText('1 of 3 parts, 8.39 MB of 21 MB').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText(/^Cancelled\./).waitFor();
      isHolding = false;
      await Promise.all(held.map(async (route) => await route.abort().catch(() => undefined)));
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('Stored at AWS S3.').waitFor();
      await page.getByText('3 of 3 parts').waitFor();
      assert.deepEqual(sent.toSorted(), ['1', '2', '3']);
      await page.getByRole('button', { name: 'Delete the test file' }).click();
      await page.getByText('3 of 3 parts').waitFor({ state: 'detached' });
      const { items } = await clientOf('acme').analytics.routingHistory({ limit: 1 });
      assert.equal(items[0]?.status, 'deleted');
      await visitor.leave();
    });

    it('rotates the key after a confirmation; the one before is refused, in words', async () => {
      const { page, visitor } = suite;
      const { baseUrl } = suite.service;
      const { apiKey } = await clientOf('acme').apiKey.regenerate();
      await visitor.logIn('alice', '/dashboard/key');
      await page.getByRole('button', { name: 'Rotate' }).click();
      const dialog = page.getByRole('alertdialog', { name: 'Rotate the API key?' });
      await visitor.checkAccessibility('the dialog of a rotation');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await createClient({ baseUrl, apiKey }).me();
      await page.getByRole('button', { name: 'Rotate' }).click();
      await dialog.getByRole('button', { name: 'Rotate' }).click();
      const shown = page.getByRole('status').filter({ hasText: 'shown only once' }).locator('code');
      const rotated = (await shown.textContent()) ?? '';
      await createClient({ baseUrl, apiKey: rotated }).me();
      await page.getByLabel('Key for the upload').fill(apiKey);
      await chooseFile(page, 'a.mp4', 10);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByText('This key is not valid').waitFor();
      await visitor.leave(/status of 401/);
    });

    it('shows months with numbers on hover, pages of files in the URL, and nobody else’s file', async () => {
      const { page, visitor } = suite;
      const dashboard = clientOf('globex');
      const { apiKey } = await dashboard.apiKey.regenerate();
      const client = createClient({ baseUrl: suite.service.baseUrl, apiKey });
      await client.upload({ source: new Uint8Array(2_000_000), fileName: 'first.bin' });
      for (let index = 1; index <= 11; index += 1)
        await client.init({
          fileName: `pending-${index}.bin`,
          contentType: 'application/octet-stream',
          fileSizeBytes: 1000,
        });
      await visitor.logIn('bob', '/dashboard/usage');
      const plot = page.locator('.u-over');
      await plot.waitFor();
      const box = (await plot.boundingBox()) ?? assert.fail('the plot is not shown');
      await page.mouse.move(box.x + box.width - 10, box.y + box.height / 2);
      await page.locator('.plot-legend strong', { hasText: '2 MB' }).waitFor();
      await page.getByLabel('Show').selectOption('uploads');
      await page.waitForURL(/\?show=uploads$/);
      await page.getByText('The numbers').click();
      const months = page.getByRole('table', { name: 'Completed uploads by month and store' });
      assert.match((await months.getByRole('row').last().innerText()).trim(), /\s1$/);

      await page.getByText('1 to 10 of 12').waitFor();
      await page.getByRole('link', { name: 'Next' }).click();
      await page.getByText('11 to 12 of 12').waitFor();
      assert.match(page.url(), /\?show=uploads&page=2$/);
      await page.reload();
      await page.getByRole('link', { name: 'first.bin' }).click();
      await heading(page, 'Routing decision').waitFor();
      const decision = page.url();
      await page.goBack();
      await page.getByText('11 to 12 of 12').waitFor();
      await visitor.leave();

      const other = await suite.visit();
      await other.logIn('alice', new URL(decision).pathname);
      await other.page.getByText('File not found', { exact: true }).waitFor();
      await other.leave(/status of 404/);
    });

    it('shows what is used of the plan, and leads to the checkout and back', async () => {
      const { page, visitor } = suite;
      const dashboard = clientOf('globex');
      const { apiKey } = await dashboard.apiKey.regenerate();
      await createClient({ baseUrl: suite.service.baseUrl, apiKey }).init({
        fileName: 'large.bin',
        contentType: 'application/octet-stream',
        fileSizeBytes: 8_500_000_000,
        multipart: true,
      });
      await visitor.logIn('bob', '/dashboard');
      await page.getByRole('link', { name: 'Data this month: 85 % of 10 GB used' }).click();
      await heading(page, 'Plan').waitFor();
      await page.getByText('8.5 GB of 10 GB, 85 %').waitFor();
      await page.getByText('A limit of your plan is near').waitFor();

      await page.getByRole('button', { name: 'Subscription and invoices' }).click();
      await page.getByText('There is no subscription yet').waitFor();
      // Stripe's page is not on this machine: it leads back at once.
      const url = `${CHECKOUT}/c/pay/cs_test_1`;
      stripe.answers.set('POST /v1/checkout/sessions', { id: 'cs_test_1', url });
      const location = `${suite.service.baseUrl}/dashboard/plan?checkout=done`;
      await page.route(`${CHECKOUT}/**`, async (route) => {
        await route.fulfill({ status: 302, headers: { location } });
      });
      await page.getByRole('button', { name: 'Get Starter' }).click();
      await page.getByText('Your order was accepted').waitFor();
      const bought = stripe.requests.findLast(({ route }) => route.endsWith('/checkout/sessions'));
      assert.equal(bought?.form['line_items[0][price]'], PRICES.starter);
      await visitor.checkAccessibility('the plan, with billing');
      await visitor.leave(/status of 409/);
    });

    it('says what a late payment means, on the plan and on the overview, until it is settled', async () => {
      const { page, visitor } = suite;
      const report = async (options: Parameters<typeof subscriptionEvent>[1]) =>
        await deliver(suite.service.baseUrl, subscriptionEvent({ accountId: 'globex' }, options));
      const advice = 'Open the subscription and check the card.';
      await report({ status: 'past_due', plan: 'growth' });
      await visitor.logIn('bob', '/dashboard');
      await page.getByRole('link', { name: 'Payment is late. The plan stays' }).click();
      await heading(page, 'Plan').waitFor();
      const payment = page.getByRole('status').filter({ hasText: 'Subscription to Growth' });
      await payment.getByText('Payment is late').waitFor();
      await payment.getByText(advice).waitFor();
      await visitor.checkAccessibility('the plan, with a late payment');

      await report({ status: 'active', plan: 'growth', at: 1 });
      await payment.getByText('Paid', { exact: true }).waitFor({ timeout: 2 * POLL_MS });
      assert.equal(await page.getByText(advice).count(), 0);
      await page.getByRole('link', { name: 'Overview', exact: true }).click();
      await heading(page, 'Overview').waitFor();
      await untilLoaded(page);
      assert.equal(await page.getByRole('link', { name: 'Payment is late' }).count(), 0);
      await report({ kind: 'deleted', at: 2 });
      await visitor.leave();
    });

    it('says that nothing can be bought where billing is not configured', async () => {
      const { url: api } = await suite.service.addApi(NO_STRIPE);
      const plain = await suite.visit({ api });
      await plain.logIn('alice', '/dashboard/plan');
      await plain.page.getByText('has not configured billing').waitFor();
      assert.equal(await plain.page.getByRole('button', { name: /^Get / }).count(), 0);
      await plain.leave();
      await suite.visitor.leave();
    });
  },
  ({ stack }) => ({ store: stack.environment['PROVIDER_ENDPOINT_AWS'] ?? '', payment: CHECKOUT }),
);
