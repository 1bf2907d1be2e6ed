import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { toCredentials } from '../../dev/first-account.ts';
import { TOKEN_TTL_SECONDS } from '../../dev/identity/identity-server.ts';
import { STACK_STORES } from '../../dev/parts/stores.ts';
import { createClient, type Provider } from '../../sdk/src/index.ts';
import { startIsolatedService } from '../servers.ts';
import { describeInBrowser } from './browser-suite.ts';
import { chooseUser, heading } from './visitor.ts';
import { VIEWS } from './views.ts';

const start = () => startIsolatedService({ environment: { DEFAULT_PLAN: 'growth' } });

describeInBrowser('the dashboard in a browser', start, (suite) => {
  const clientOf = (account: string) =>
    createClient({
      baseUrl: suite.service.baseUrl,
      dashboardToken: suite.identity.issueToken({ account }),
    });

  /** Fills the form of a store with the credentials of the stack's. */
  async function fillStore(page: Page, provider: Provider): Promise<string> {
    const settings = toCredentials(provider, suite.stack.environment);
    const choice = page.getByLabel('Store', { exact: true });
    if (await choice.isVisible()) await choice.selectOption(provider);
    await page.getByLabel('Bucket').fill(settings.bucketName);
    if (settings.accountId !== undefined)
      await page.getByLabel('Account id').fill(settings.accountId);
    else await page.getByLabel('Region').fill(settings.region);
    await page.getByLabel('Access key id').fill(settings.accessKeyId);
    await page.getByLabel('Secret access key').fill(settings.secretAccessKey);
    return settings.bucketName;
  }

  /** What a visitor finds: the store of the provider, or none. */
  async function setStores(account: string, providers: readonly Provider[]): Promise<void> {
    const client = clientOf(account);
    for (const provider of STACK_STORES)
      await (providers.includes(provider)
        ? client.providers.save(toCredentials(provider, suite.stack.environment))
        : client.providers.delete(provider));
  }

  it('logs in, and comes back to the link that was opened; a reload stays logged in', async () => {
    const { page, visitor } = suite;
    await visitor.logIn('alice', '/dashboard/providers?from=mail');
    await heading(page, 'Providers').waitFor();
    assert.equal(await page.title(), 'Providers · Storage Routing');
    await page.reload();
    await heading(page, 'Providers').waitFor();
    await page.getByText('acme', { exact: true }).waitFor();
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }])',
    );
    assert.doesNotMatch(String(stored), /eyJ|token/i);
    await visitor.leave();
  });

  it('navigates without loading again, with the focus on the title', async () => {
    const { page, visitor } = suite;
    await visitor.logIn('alice', '/dashboard');
    await heading(page, 'Overview').waitFor();
    await page.getByRole('link', { name: 'Providers', exact: true }).click();
    await heading(page, 'Providers').waitFor();
    const focused = await page.evaluate('document.activeElement.textContent');
    assert.equal(focused, 'Providers');
    await page.goBack();
    await heading(page, 'Overview').waitFor();
    await page.goto(`${suite.service.baseUrl}/dashboard/no/such/view`);
    await heading(page, 'Not found').waitFor();
    await visitor.leave();
  });

  it('adds, tests, replaces and deletes a store, and never shows its secret again', async () => {
    // The service checks CORS for pages over TLS, and at localhost.
    const api = suite.service.baseUrl.replace('127.0.0.1', 'localhost');
    const visitor = await suite.visit({ api });
    const { page } = visitor;
    await visitor.logIn('alice', '/dashboard/providers');
    await page.getByRole('button', { name: 'Add a store' }).click();
    const bucket = await fillStore(page, 'aws');
    await page.getByRole('button', { name: 'Add and test' }).click();
    await page.getByRole('heading', { level: 2, name: 'AWS S3' }).waitFor();
    assert.equal(await page.getByLabel('Secret access key').count(), 0);

    const result = page.getByRole('table', { name: 'Result of the test' });
    await result.waitFor();
    const rows = await result.getByRole('row').allInnerTexts();
    for (const check of ['Write an object', 'Read its metadata', 'Read it', 'Delete it'])
      assert.ok(
        rows.some((row) => row.startsWith(check) && row.includes('OK')),
        rows.join('\n'),
      );
    assert.ok(
      rows.some((row) => row.startsWith('Upload from this page') && row.includes('Failed')),
    );
    const can = page.locator('dl').filter({ hasText: 'Refuses to overwrite an object' });
    assert.match(await can.innerText(), /on demand\s+(?:Yes|No)/);
    await visitor.checkWidth('what a store can do', 360);
    const rule = JSON.parse((await page.locator('pre').textContent()) ?? '') as object[];
    assert.ok(JSON.stringify(rule).includes(new URL(page.url()).origin));

    await page.getByRole('button', { name: 'Replace credentials of AWS S3' }).click();
    assert.equal(await page.getByLabel('Bucket').inputValue(), bucket);
    assert.equal(await page.getByLabel('Secret access key').inputValue(), '');
    await fillStore(page, 'aws');
    await page.getByRole('button', { name: 'Replace and test' }).click();
    await page.getByLabel('Secret access key').waitFor({ state: 'detached' });

    const { secretAccessKey } = toCredentials('aws', suite.stack.environment);
    assert.ok(!(await page.content()).includes(secretAccessKey));
    await page.getByRole('button', { name: 'Delete AWS S3' }).click();
    const confirm = page.getByRole('alertdialog').getByRole('button', { name: 'Delete' });
    assert.ok(await confirm.isDisabled());
    await page.getByLabel(`Type ${bucket} to confirm`).fill(bucket);
    await confirm.click();
    await page.getByText('Add the first store').waitFor();
    await visitor.leave();
  });

  /** Bob's account, whose R2 store has another key; `mend` gives it back outside the page. */
  async function breakStore() {
    await setStores('globex', ['aws', 'r2']);
    const client = clientOf('globex');
    const r2 = toCredentials('r2', suite.stack.environment);
    await client.providers.save({ ...r2, secretAccessKey: 'is-another-one' });
    return { mend: () => client.providers.save(r2) };
  }

  it('names a store that fails its test on the overview, until its credentials are replaced', async () => {
    const { page, visitor } = suite;
    await breakStore();
    await visitor.logIn('bob', '/dashboard');
    const failing = page.getByRole('link', {
      name: /^Repair Cloudflare R2, which fails its test: /,
    });
    await failing.waitFor();
    assert.equal(await page.getByText('fails its test').count(), 1);
    await visitor.checkAccessibility('a store that fails');
    await failing.click();
    await page.getByRole('button', { name: 'Replace credentials of Cloudflare R2' }).click();
    await fillStore(page, 'r2');
    await page.getByRole('button', { name: 'Replace and test' }).click();
    await page.getByLabel('Secret access key').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByText('Nothing is left to do.').waitFor();
    await visitor.leave();
  });

  it('names it no longer once it was repaired at the provider and is tested by hand', async () => {
    const { page, visitor } = suite;
    const { mend } = await breakStore();
    await visitor.logIn('bob', '/dashboard');
    await page.getByRole('link', { name: /^Repair Cloudflare R2, which fails its test: / }).click();
    await mend();
    await page.getByRole('button', { name: 'Test Cloudflare R2' }).click();
    await page.getByRole('table', { name: 'Result of the test' }).waitFor();
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByText('Nothing is left to do.').waitFor();
    await visitor.leave();
  });

  it('shows where earlier files of a store are, and takes new keys for that place', async () => {
    const { page, visitor, service } = suite;
    const client = clientOf('globex');
    const b2 = toCredentials('b2', suite.stack.environment);
    await setStores('globex', []);
    await client.providers.save(b2);
    const { apiKey } = await client.apiKey.regenerate();
    const uploader = createClient({ baseUrl: service.baseUrl, apiKey });
    const source = new Uint8Array(1_000);
    const file = await uploader.upload({ source, fileName: 'a.bin', priority: 'archive' });
    await client.providers.save({ ...b2, accessKeyId: 'an-earlier-key' });
    await client.providers.save({ ...b2, bucketName: 'elsewhere' });

    await visitor.logIn('bob', '/dashboard/providers');
    const table = page.getByRole('table', { name: 'Former places, which are still needed' });
    const place = table.getByRole('row').filter({ hasText: b2.bucketName });
    const [bucket, ...cells] = (await place.innerText()).split(/\s*\t\s*/);
    assert.deepEqual(
      [bucket, ...cells.slice(0, 4)],
      [b2.bucketName, b2.region, 'an-e…-key', '1', '1 KB'],
    );
    for (const width of [360, 1440]) await visitor.checkWidth('a former place', width);

    await page.getByRole('button', { name: `New keys for ${b2.bucketName}` }).click();
    assert.equal(await page.getByRole('textbox', { name: 'Bucket' }).count(), 0);
    for (const width of [360, 1440]) await visitor.checkWidth('the form of a former place', width);
    await page.getByLabel('Access key id').fill(b2.accessKeyId);
    await page.getByLabel('Secret access key').fill(b2.secretAccessKey);
    await page.getByRole('button', { name: 'Replace', exact: true }).click();
    await page.getByLabel('Secret access key').waitFor({ state: 'detached' });
    await place.filter({ hasNotText: 'an-e…-key' }).waitFor();
    const { file: found, body } = await uploader.download(file.fileId);
    assert.equal(found.provider, 'b2');
    assert.deepEqual(new Uint8Array(await new Response(body).arrayBuffer()), source);
    await setStores('globex', []);
    await visitor.leave();
  });

  it('says what is wrong in a form, and keeps it', async () => {
    const { page, visitor } = suite;
    await visitor.logIn('alice', '/dashboard/providers');
    await page.getByRole('button', { name: 'Add a store' }).click();
    await fillStore(page, 'aws');
    await page.getByLabel('Region').fill('nowhere');
    await page.getByRole('button', { name: 'Add and test' }).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    assert.match(
      await alert.innerText(),
      /region must be a region of AWS S3[\s\S]*request [0-9a-f-]{36}/,
    );
    assert.equal(await page.getByLabel('Region').inputValue(), 'nowhere');
    await visitor.leave(/status of 400/);
  });

  it('keeps a form when the session ends in the middle of it, and goes on after a login', async () => {
    const { page, visitor } = suite;
    await setStores('globex', []);
    suite.identity.setUserTokenSeconds(5);
    await visitor.logIn('bob', '/dashboard/providers');
    await page.getByRole('button', { name: 'Add a store' }).click();
    suite.identity.endSessions();
    suite.identity.setUserTokenSeconds(TOKEN_TTL_SECONDS);
    const bucket = await fillStore(page, 'b2');
    const dialog = page.getByRole('alertdialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    await visitor.checkAccessibility('the dialog');
    const opened = page.waitForEvent('popup');
    await dialog.getByRole('button', { name: 'Log in again' }).click();
    await chooseUser(await opened, 'bob');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Bucket').inputValue(), bucket);
    await page.getByRole('button', { name: 'Add and test' }).click();
    await page.getByRole('heading', { level: 2, name: 'Backblaze B2' }).waitFor();
    // The renewals that the identity provider refused.
    await visitor.leave(/status of 400 .*\/token/);
  });

  it('shows each account its own stores, and logs out', async () => {
    const { page, visitor } = suite;
    await Promise.all([setStores('acme', []), setStores('globex', ['b2'])]);
    await visitor.logIn('alice', '/dashboard/providers');
    await page.getByText('Add the first store').waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    await visitor.logIn('bob', '/dashboard/providers');
    await page.getByRole('heading', { level: 2, name: 'Backblaze B2' }).waitFor();
    await visitor.leave();
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`has no violation that axe finds, on any view, in the ${colorScheme} theme`, async () => {
      const { page, visitor } = suite;
      await setStores('globex', ['b2']);
      await page.emulateMedia({ colorScheme });
      await page.goto(`${suite.service.baseUrl}/dashboard`);
      await page.getByRole('button', { name: 'Log in' }).waitFor();
      await visitor.checkAccessibility('the login page');
      await visitor.logIn('bob', '/dashboard');
      for (const [title, path] of VIEWS) {
        for (const width of [360, 1440]) {
          await page.setViewportSize({ width, height: 900 });
          await page.goto(`${suite.service.baseUrl}${path}`);
          await heading(page, title).waitFor();
          await visitor.checkWidth(title, width);
        }
      }
      await page.goto(`${suite.service.baseUrl}/dashboard/providers`);
      await page.getByRole('button', { name: 'Replace credentials' }).click();
      await visitor.checkAccessibility('the form of a store');
      await page.getByRole('button', { name: 'Delete Backblaze B2' }).click();
      await page.getByRole('alertdialog').waitFor();
      await visitor.checkAccessibility('the dialog of a delete');
      await visitor.leave();
    });
});
