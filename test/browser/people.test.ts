import assert from 'node:assert/strict';
import { PEOPLE_SETTINGS } from '../../dev/identity/users.ts';
import { startIsolatedService } from '../servers.ts';
import { describeInBrowser } from './browser-suite.ts';

const start = () =>
  startIsolatedService({ environment: { DEFAULT_PLAN: 'growth', ...PEOPLE_SETTINGS } });

describeInBrowser('the people of an account in a browser', start, (suite) => {
  it('see who changed what, and where only another may, who', async () => {
    const approver = suite.visitor;
    await approver.logIn('anna', '/dashboard/key');
    await approver.page.getByRole('button', { name: 'Issue the key' }).click();
    await approver.page.getByText('shown only once').waitFor();
    await approver.leave();

    const viewer = await suite.visit();
    const { page } = viewer;
    await viewer.logIn('victor', '/dashboard/activity');
    const row = page.getByRole('row').filter({ hasText: 'Issued an API key' });
    assert.match(await row.innerText(), /anna/);
    await page.getByText('Changes need a person with the role approver or admin.').waitFor();
    await page.getByRole('link', { name: 'Key', exact: true }).click();
    assert.ok(await page.getByRole('button', { name: 'Rotate' }).isDisabled());
    await page.getByRole('link', { name: 'Providers', exact: true }).click();
    assert.ok(await page.getByRole('button', { name: 'Add a store' }).isDisabled());
    await page.getByRole('link', { name: 'Drills', exact: true }).click();
    assert.ok(await page.getByRole('button', { name: 'Try an exit' }).isDisabled());
    await viewer.checkAccessibility('what a viewer sees');
    await viewer.leave();
  });
});
