import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { CreateBucketCommand, PutBucketCorsCommand, S3Client } from '@aws-sdk/client-s3';
import type { Browser, Page, Route } from 'playwright-core';
import { toCredentials } from '../../dev/first-account.ts';
import type { IdentityProvider } from '../../dev/identity/identity.ts';
import { createAccessKey } from '../../dev/parts/cloud-account.ts';
import { s3CorsRules } from '../../domain/provider/cors.ts';
import { createClient, type StorageRoutingClient } from '../../sdk/src/index.ts';
import { buildPageOnce } from '../harness/page-build.ts';
import { openStripeProxy, type StripeProxy } from '../harness/stripe-proxy.ts';
import {
  deliver,
  PRICES,
  stripeEnvironment,
  subscriptionEvent,
} from '../integration/service/billing-harness.ts';
import { localServers, startIsolatedService, type IsolatedService } from '../servers.ts';
import { findChromium, launchChromium } from './chromium.ts';
import { createVisitor, untilLoaded, type Visitor } from './visitor.ts';

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

const chromiumPath = findChromium();
if (chromiumPath === undefined)
  process.stdout.write('No Chromium is on this machine (CHROMIUM_PATH): no test in a browser.\n');
else
  describe('usage, key and plan in a browser', () => {
    let browser: Browser;
    let isolated: IsolatedService;
    let identity: IdentityProvider;
    let stripe: StripeProxy;
    let s3: S3Client;
    let bucketName: string;
    let visitor: Visitor;
    before(async () => {
      await buildPageOnce();
      stripe = await openStripeProxy((await localServers()).stack);
      isolated = await startIsolatedService({
        environment: { DEFAULT_PLAN: 'free', ...stripeEnvironment(stripe.url) },
      });
      identity = isolated.stack.identity ?? assert.fail('the identity provider is elsewhere');
      await openBucket();
      browser = await launchChromium(chromiumPath);
    });
    after(async () => {
      await browser.close();
      s3.destroy();
      await isolated.service.stop();
      await stripe.close();
    });
    beforeEach(async () => {
      visitor = await createVisitor(browser, {
        api: isolated.service.baseUrl,
        issuer: identity.issuer,
        store: storeOrigin(),
        payment: CHECKOUT,
      });
    });

    const storeOrigin = () => isolated.stack.environment['PROVIDER_ENDPOINT_AWS'] ?? '';
    const clientOf = (account: string): StorageRoutingClient =>
      createClient({
        baseUrl: isolated.service.baseUrl,
        dashboardToken: identity.issueToken({ account }),
      });
    const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

    /** A bucket without CORS rules, and the one store of both accounts. */
    async function openBucket(): Promise<void> {
      const credentials = createAccessKey();
      isolated.stack.cloud?.double.putUser(credentials);
      const place = { ...toCredentials('aws', isolated.stack.environment), ...credentials };
      bucketName = `browser-${randomUUID()}`;
      const { region } = place;
      s3 = new S3Client({ endpoint: storeOrigin(), region, credentials, forcePathStyle: true });
      await s3.send(new CreateBucketCommand({ Bucket: bucketName }));
      for (const account of ['acme', 'globex'])
        await clientOf(account).providers.save({ ...place, bucketName });
    }

    async function allowPage(): Promise<void> {
      const { origin } = new URL(isolated.service.baseUrl);
      const rules = s3CorsRules(origin) as { AllowedOrigins: string[]; AllowedMethods: string[] }[];
      await s3.send(
        new PutBucketCorsCommand({ Bucket: bucketName, CORSConfiguration: { CORSRules: rules } }),
      );
    }

    async function chooseFile(page: Page, name: string, bytes: number): Promise<void> {
      const buffer = Buffer.alloc(bytes, 7);
      await page.getByLabel('File').setInputFiles({ name, mimeType: 'video/mp4', buffer });
    }

    it('issues the key, shown once; an upload that CORS refuses goes on after the rule is set', async () => {
      const { page } = visitor;
      await visitor.logIn('alice', '/dashboard/key');
      await page.getByRole('button', { name: 'Issue the key' }).click();
      const notice = page.getByRole('status').filter({ hasText: 'shown this once' });
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
      const { page } = visitor;
      await allowPage();
      const { apiKey } = await clientOf('acme').apiKey.regenerate();
      const held: Route[] = [];
      const sent: string[] = [];
      let isHolding = true;
      await page.route(`${storeOrigin()}/**`, async (route) => {
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
      const { page } = visitor;
      const { baseUrl } = isolated.service;
      const { apiKey } = await clientOf('acme').apiKey.regenerate();
      await visitor.logIn('alice', '/dashboard/key');
      await page.getByRole('button', { name: 'Rotate' }).click();
      const dialog = page.getByRole('alertdialog', { name: 'Rotate the API key?' });
      await visitor.checkAccessibility('the dialog of a rotation');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await createClient({ baseUrl, apiKey }).me();
      await page.getByRole('button', { name: 'Rotate' }).click();
      await dialog.getByRole('button', { name: 'Rotate' }).click();
      const shown = page.getByRole('status').filter({ hasText: 'shown this once' }).locator('code');
      const rotated = (await shown.textContent()) ?? '';
      await createClient({ baseUrl, apiKey: rotated }).me();
      await page.getByLabel('Key for the upload').fill(apiKey);
      await chooseFile(page, 'a.mp4', 10);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByText('This key is not valid').waitFor();
      await visitor.leave(/status of 401/);
    });

    it('shows months with numbers on hover, pages of files in the URL, and nobody else’s file', async () => {
      const { page } = visitor;
      const dashboard = clientOf('globex');
      const { apiKey } = await dashboard.apiKey.regenerate();
      const client = createClient({ baseUrl: isolated.service.baseUrl, apiKey });
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

      const other = await createVisitor(browser, {
        api: isolated.service.baseUrl,
        issuer: identity.issuer,
      });
      await other.logIn('alice', new URL(decision).pathname);
      await other.page.getByText('There is no such file in this account').waitFor();
      await other.leave(/status of 404/);
    });

    it('shows what is used of the plan, and leads to the checkout and back', async () => {
      const { page } = visitor;
      const dashboard = clientOf('globex');
      const { apiKey } = await dashboard.apiKey.regenerate();
      await createClient({ baseUrl: isolated.service.baseUrl, apiKey }).init({
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
      const location = `${isolated.service.baseUrl}/dashboard/plan?checkout=done`;
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
      const { page } = visitor;
      const report = async (options: Parameters<typeof subscriptionEvent>[1]) =>
        await deliver(
          isolated.service.baseUrl,
          subscriptionEvent({ accountId: 'globex' }, options),
        );
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
      const { url: api } = await isolated.service.addApi(NO_STRIPE);
      const plain = await createVisitor(browser, { api, issuer: identity.issuer });
      await plain.logIn('alice', '/dashboard/plan');
      await plain.page.getByText('has not configured billing').waitFor();
      assert.equal(await plain.page.getByRole('button', { name: /^Get / }).count(), 0);
      await plain.leave();
      await visitor.leave();
    });
  });
