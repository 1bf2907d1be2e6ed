import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import type { IdentityProvider } from '../../dev/identity/identity.ts';
import { PEOPLE_SETTINGS } from '../../dev/identity/users.ts';
import { buildPageOnce } from '../harness/page-build.ts';
import { startIsolatedService, type IsolatedService } from '../servers.ts';
import { findChromium, launchChromium } from './chromium.ts';
import { createVisitor } from './visitor.ts';

const chromiumPath = findChromium();
if (chromiumPath === undefined)
  process.stdout.write('No Chromium is on this machine (CHROMIUM_PATH): no test in a browser.\n');
else
  describe('the people of an account in a browser', () => {
    let browser: Browser;
    let isolated: IsolatedService;
    let identity: IdentityProvider;
    before(async () => {
      await buildPageOnce();
      isolated = await startIsolatedService({
        environment: { DEFAULT_PLAN: 'growth', ...PEOPLE_SETTINGS },
      });
      identity = isolated.stack.identity ?? assert.fail('the identity provider is elsewhere');
      browser = await launchChromium(chromiumPath);
    });
    after(async () => {
      await browser.close();
      await isolated.service.stop();
    });

    const visit = async () =>
      await createVisitor(browser, { api: isolated.service.baseUrl, issuer: identity.issuer });

    it('see who changed what, and where only another may, who', async () => {
      const approver = await visit();
      await approver.logIn('anna', '/dashboard/key');
      await approver.page.getByRole('button', { name: 'Issue the key' }).click();
      await approver.page.getByText('shown this once').waitFor();
      await approver.leave();

      const viewer = await visit();
      const { page } = viewer;
      await viewer.logIn('victor', '/dashboard/activity');
      const row = page.getByRole('row').filter({ hasText: 'Issued an API key' });
      assert.match(await row.innerText(), /anna/);
      await page.getByText('Changes need a person with the role approver or admin.').waitFor();
      await page.getByRole('link', { name: 'Key', exact: true }).click();
      assert.ok(await page.getByRole('button', { name: 'Rotate' }).isDisabled());
      await page.getByRole('link', { name: 'Providers', exact: true }).click();
      assert.ok(await page.getByRole('button', { name: 'Add a store' }).isDisabled());
      await viewer.checkAccessibility('what a viewer sees');
      await viewer.leave();
    });
  });
