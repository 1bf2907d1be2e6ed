import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { SERVICE_ACCOUNT, type CloudAccount } from '../../dev/parts/cloud-account.ts';
import { startIsolatedService } from '../servers.ts';
import { describeInBrowser } from './browser-suite.ts';
import type { Visitor } from './visitor.ts';

const TEMPLATE_URL = 'https://templates.s3.us-east-1.amazonaws.com/storage-routing-role.yaml';

const start = () =>
  startIsolatedService({ environment: { CONNECT_TEMPLATE_URL: TEMPLATE_URL }, workerCount: 0 });

describeInBrowser('the role of an account in a browser', start, (suite) => {
  let cloud: CloudAccount;
  let visitor: Visitor;
  let page: Page;
  before(() => {
    cloud = suite.stack.cloud ?? assert.fail('the AWS double is elsewhere');
  });
  beforeEach(() => {
    ({ page, visitor } = suite);
  });
  afterEach(() => cloud.double.clearFaults());

  const trustPolicy = async () => (await page.locator('pre').first().textContent()) ?? '';
  const account = () => page.getByLabel('AWS account of the service');
  const stackLink = () => page.getByRole('link', { name: 'Create the role in AWS' });

  // Before any other test: the service remembers its account.
  it('asks for the account of the service only while the service cannot look it up', async () => {
    cloud.double.addFault({ effect: 'cut', service: 'sts', operation: 'GetCallerIdentity' });
    await visitor.logIn('alice', '/dashboard/audit/connect');
    await page.getByText('cannot look up its own AWS account').waitFor();
    await page.getByText('as soon as the account of the service has its 12 digits').waitFor();
    await account().fill('111122223333');
    await page.getByRole('button', { name: 'Download the template' }).waitFor();
    assert.equal(await stackLink().count(), 0);
    await page.getByLabel('How').selectOption('by_hand');
    assert.match(await trustPolicy(), /arn:aws:iam::111122223333:root/);
    await visitor.checkAccessibility('the field for the account');

    cloud.double.clearFaults();
    await page.getByRole('link', { name: 'Back to the audits' }).click();
    await page.getByRole('link', { name: 'Connect an AWS account' }).click();
    await page.getByRole('definition').getByText(SERVICE_ACCOUNT, { exact: true }).waitFor();
    assert.equal(await account().count(), 0);
    await page.getByLabel('How').selectOption('by_hand');
    assert.match(await trustPolicy(), new RegExp(`arn:aws:iam::${SERVICE_ACCOUNT}:root`));
    await visitor.leave(/status of 502/);
  });

  it('links to the stack in AWS with its parameters, where the template is published', async () => {
    await visitor.logIn('alice', '/dashboard/audit/connect');
    const parametersOf = async () => {
      const href = (await stackLink().getAttribute('href')) ?? '';
      return Object.fromEntries(new URLSearchParams(href.slice(href.indexOf('?'))));
    };
    const externalId = page.getByLabel('External id');
    const first = await parametersOf();
    assert.equal(first['templateURL'], TEMPLATE_URL);
    assert.equal(first['param_ServiceAccountId'], SERVICE_ACCOUNT);
    assert.equal(first['param_ExternalId'], await externalId.inputValue());
    await page.getByRole('button', { name: 'Make another external id' }).click();
    const second = await parametersOf();
    assert.notEqual(second['param_ExternalId'], first['param_ExternalId']);
    assert.equal(second['param_ExternalId'], await externalId.inputValue());
    assert.equal(await stackLink().getAttribute('target'), '_blank');
    await page.getByRole('button', { name: 'Download the template' }).waitFor();
    await visitor.checkAccessibility('the link to the stack');
    await visitor.leave();
  });
});
