import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { SERVICE_ACCOUNT, type CloudAccount } from '../../dev/parts/cloud-account.ts';
import { SAMPLE_REGIONS, seedSampleAccount } from '../../dev/sample-account.ts';
import { seedSampleUsage } from '../../dev/sample-usage.ts';
import { createClient, type StorageRoutingClient } from '../../sdk/src/index.ts';
import { startIsolatedService } from '../servers.ts';
import { describeInBrowser } from './browser-suite.ts';
import { heading, untilLoaded } from './visitor.ts';

const CUSTOMER = '444455556666';
const ROLE_ARN = `arn:aws:iam::${CUSTOMER}:role/Auditor`;
const PREFIX = 'audited-';
/** The listing of one bucket takes this long, so that a scan can be watched. */
const SLOW_MS = 7_000;

const start = () => startIsolatedService({ environment: { DEFAULT_PLAN: 'enterprise' } });

describeInBrowser('the audit in a browser', start, (suite) => {
  let cloud: CloudAccount;
  let client: StorageRoutingClient;
  let buckets: readonly string[];
  before(() => {
    cloud = suite.stack.cloud ?? assert.fail('the AWS double is elsewhere');
    client = createClient({
      baseUrl: suite.service.baseUrl,
      dashboardToken: suite.identity.issueToken({ account: 'acme' }),
    });
    const sample = { accountId: CUSTOMER, now: new Date(), prefix: PREFIX };
    buckets = seedSampleAccount(cloud.double, sample);
  });
  after(() => cloud.double.clearFaults());

  const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const snippets = async (page: Page) =>
    (await page.locator('pre').allTextContents()).map((text) => JSON.parse(text) as object);

  it('connects an account by the policies that it shows, and says what a wrong role lacks', async () => {
    const { page, visitor } = suite;
    await visitor.logIn('alice', '/dashboard/audit');
    await page.getByText('No cloud account is connected.').waitFor();
    await page.getByRole('link', { name: 'Connect an AWS account' }).click();
    await heading(page, 'Connect an AWS account').waitFor();
    const externalId = await page.getByLabel('External id').inputValue();
    assert.match(externalId, /^[0-9a-f]{32}$/);
    await page.getByRole('definition').getByText(SERVICE_ACCOUNT, { exact: true }).waitFor();
    assert.equal(await page.getByLabel('AWS account of the service').count(), 0);
    assert.equal(await page.getByRole('link', { name: 'Create the role in AWS' }).count(), 0);

    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the template' }).click();
    const template = await readFile(await (await saved).path(), 'utf8');
    assert.match(template, new RegExp(`Default: '${SERVICE_ACCOUNT}'`));
    assert.match(template, new RegExp(`Default: '${externalId}'`));

    await page.getByLabel('How').selectOption('by_hand');
    await page.getByText('Then add this as an inline policy').waitFor();
    await visitor.checkAccessibility('the policies');
    const [trustPolicy = {}, permissions = {}] = await snippets(page);
    assert.match(JSON.stringify(trustPolicy), new RegExp(`arn:aws:iam::${SERVICE_ACCOUNT}:root`));
    const open = structuredClone(trustPolicy) as { Statement: { Condition?: object }[] };
    delete open.Statement[0]?.Condition;
    const putRole = (trust: object) =>
      cloud.double.putRole({
        roleArn: ROLE_ARN,
        trustPolicy: trust as Parameters<typeof cloud.double.putRole>[0]['trustPolicy'],
        policies: [permissions as never],
      });
    putRole(open);
    await page.getByLabel('ARN of the role').fill(ROLE_ARN);
    await page.getByRole('button', { name: 'No region' }).click();
    assert.ok(await page.getByRole('button', { name: 'Connect', exact: true }).isDisabled());
    for (const name of SAMPLE_REGIONS)
      await page.getByRole('checkbox', { name, exact: true }).check();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('The service cannot use this role').waitFor();
    await page.getByText('Callers without the external id can assume this role').waitFor();
    const condition = await page.locator('pre').last().textContent();
    assert.deepEqual(JSON.parse(`{${condition}}`), {
      Condition: { StringEquals: { 'sts:ExternalId': externalId } },
    });
    await visitor.checkAccessibility('the advice about a role');

    // The role in AWS knows this external id: a reload must not make another one.
    await page.reload();
    await heading(page, 'Connect an AWS account').waitFor();
    assert.equal(await page.getByLabel('External id').inputValue(), externalId);
    putRole(trustPolicy);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('heading', { level: 2, name: `AWS account ${CUSTOMER}` }).waitFor();
    await page.getByText('No audit yet.').waitFor();
    const { items } = await client.scanner.connections();
    assert.deepEqual(
      items.map(({ roleArn, bucketCount }) => [roleArn, bucketCount]),
      [[ROLE_ARN, buckets.length]],
    );
    await visitor.leave(/status of 422/);
  });

  it('shows a scan while it runs, with the focus where it is, and then what it takes to know, and the verdict', async () => {
    const { page, visitor } = suite;
    cloud.double.addFault({
      effect: 'latency',
      latencyMs: SLOW_MS,
      bucket: `${PREFIX}logs`,
      times: 1,
    });
    let calls = 0;
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.startsWith('/v1/')) calls += 1;
    });
    await visitor.logIn('alice', '/dashboard/audit');
    await page.getByRole('button', { name: `Start an audit of ${CUSTOMER}` }).click();
    await heading(page, 'Audit of an account').waitFor();
    // The component library announces the pressed button for some seconds, also where it is gone.
    await page.reload();
    await page.getByText(`of ${buckets.length} buckets`).waitFor();
    const callsBefore = calls;
    const began = Date.now();
    await page.getByRole('progressbar', { name: 'Buckets' }).waitFor();
    const latest = page.getByRole('table', { name: /^The latest first/ });
    const read = latest.getByRole('row', { name: / Done / });
    await read.first().waitFor();
    assert.equal(await latest.getByText(`${PREFIX}logs`).count(), 0, 'the slow one is counted');
    await visitor.checkAccessibility('a scan that runs');
    await page.getByRole('link', { name: 'All audits' }).focus();
    await region(page, 'Quick wins').waitFor();
    const seconds = (Date.now() - began) / 1000;
    assert.ok(calls - callsBefore <= seconds + 2, `${calls - callsBefore} in ${seconds} s`);
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'All audits');

    const titles = await page.getByRole('heading', { level: 2 }).allTextContents();
    const [first, verdict = '', ...cards] = titles;
    assert.equal(first, 'What it takes to know more', 'neither bill nor metrics');
    assert.match(verdict, /^Save \d+ %: mostly by changing storage classes$/);
    assert.deepEqual(cards.slice(0, 3), ['Quick wins', 'What stays', 'Costs by bucket']);
    const scanId = page.url().split('/').at(-1) ?? '';
    const result = await client.scanner.results(scanId);
    const links = page.locator('a[href*="/recommendations/"]');
    const linked = await links.evaluateAll((found) =>
      found.map((link) => link.getAttribute('href')?.split('/').at(-1)),
    );
    assert.equal(linked.length, result.recommendations.length);
    assert.deepEqual(
      new Set(linked),
      new Set(result.recommendations.map(({ recommendationId }) => recommendationId)),
    );

    await page.getByRole('link', { name: 'Report', exact: true }).click();
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { level: 1, name: verdict }).waitFor();
    await visitor.checkAccessibility('the report');
    for (const [title, format] of [
      ['Markdown', 'md'],
      ['CSV', 'csv'],
      ['HTML', 'html'],
    ] as const) {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: `Download as ${title}` }).click();
      const report = await readFile(await (await saved).path(), 'utf8');
      assert.equal(report, await client.scanner.report(scanId, { format }));
    }
    await frame.getByRole('link', { name: '1', exact: true }).first().click();
    await heading(page, 'Recommendation').waitFor();
    await visitor.leave();
  });

  it('shows what a bucket holds and what was found, collapsed', async () => {
    const { page, visitor } = suite;
    const { items } = await client.scanner.history();
    const scan = await client.scanner.results(items[0]?.scanId ?? '');
    await visitor.logIn('alice', `/dashboard/audit/scans/${scan.scanId}`);
    const name = `${PREFIX}media`;
    await page.locator('summary').filter({ hasText: name }).click();
    const ages = page.getByRole('table', { name: `Age of the objects of ${name}` });
    const shown = await ages
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => row.children[2]?.textContent));
    const { byAge = [] } = scan.buckets.find((bucket) => bucket.name === name) ?? {};
    assert.deepEqual(
      shown,
      byAge.map(({ objects }) => objects.toLocaleString('en-US')),
    );
    const found = region(page, 'Other findings').locator('details');
    const isOpen = await found.evaluateAll((groups) =>
      groups.map((group) => [
        group.querySelector('strong')?.textContent,
        group.hasAttribute('open'),
      ]),
    );
    const states = new Map(isOpen as [string, boolean][]);
    assert.equal(states.get('Old versions'), false);
    assert.equal(states.get('Empty bucket'), false);
    await visitor.leave();
  });

  it('says why the bill is not known, and with it what was paid, found and read', async () => {
    const { page, visitor } = suite;
    const { items } = await client.scanner.history();
    await visitor.logIn('alice', `/dashboard/audit/scans/${items[0]?.scanId}`);
    await page.getByRole('link', { name: 'Bill', exact: true }).click();
    await heading(page, 'Bill').waitFor();
    await page.getByText('The bill is not known').waitFor();
    await page.getByText('cost_explorer').waitFor();

    seedSampleUsage(cloud.double, { accountId: CUSTOMER, now: new Date(), prefix: PREFIX });
    const [connection] = (await client.scanner.connections()).items;
    const { scanId } = await client.scanner.start(connection?.connectionId ?? '');
    const { summary } = await client.scanner.waitFor(scanId, { pollMs: 200 });
    await page.goto(`${suite.service.baseUrl}/dashboard/audit/scans/${scanId}/bill`);
    await page.getByText('your agreement takes 18 % off').waitFor();
    const lines = page.getByRole('table', { name: 'The lines of the bill' });
    const count = summary.bill?.lines.length ?? 0;
    await page.getByRole('button', { name: `Show all ${count}: The lines of the bill` }).click();
    const rows = await lines.getByRole('row').allInnerTexts();
    const stored = /TimedStorage-ByteHrs\s+us-east-1\s+6,247 GB-Month\s.*\$117\.83/s;
    assert.ok(
      rows.some((row) => stored.test(row)),
      rows.join('\n'),
    );
    assert.equal(rows.length, 1 + count);
    const reads = page.getByRole('table', { name: 'Reads of each bucket, per 30 days' });
    const logs = reads.getByRole('row').filter({ hasText: `${PREFIX}logs` });
    assert.match(await logs.innerText(), /\s0\s+0 bytes\s+0 bytes\s+measured by CloudWatch/);
    await visitor.leave();
  });

  it('shows how to carry out what is not a move, to copy', async () => {
    const { page, visitor } = suite;
    const { items } = await client.scanner.history();
    const { recommendations } = await client.scanner.results(items[0]?.scanId ?? '');
    const cleanUp = recommendations.find(({ kind }) => kind === 'expire_old_versions');
    assert.ok(cleanUp?.howTo);
    const { recommendationId, howTo } = cleanUp;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await visitor.logIn('alice', `/dashboard/recommendations/${recommendationId}`);
    await page.getByText(howTo.summary).waitFor();
    await page.getByRole('tab', { name: 'Terraform' }).click();
    await page.getByText('aws_s3_bucket_lifecycle_configuration').waitFor();
    await page.getByRole('tab', { name: 'Commands' }).click();
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), howTo.commands[0]);
    for (const width of [360, 1440]) await visitor.checkWidth('how to carry out', width);
    await visitor.leave();
  });

  it('compares two scans, by links that can be shared', async () => {
    const { page, visitor } = suite;
    cloud.double.seed({
      bucket: `${PREFIX}empty`,
      objects: [{ key: 'first.bin', size: 4_000_000_000 }],
    });
    const { items: connections } = await client.scanner.connections();
    const { scanId } = await client.scanner.start(connections[0]?.connectionId ?? '');
    const later = await client.scanner.waitFor(scanId, { pollMs: 200 });
    assert.equal(later.status, 'completed');
    await visitor.logIn('alice', '/dashboard/audit');
    await page
      .getByRole('cell', { name: /^Save \d+ %/ })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'With the last one' }).first().click();
    await heading(page, 'Compare two audits').waitFor();
    assert.match(page.url(), new RegExp(`\\?from=[0-9a-f-]{36}&to=${scanId}$`));
    const totals = page.getByRole('table', { name: 'Totals of the two audits' });
    await totals.waitFor();
    const rows = await totals.getByRole('row').allInnerTexts();
    assert.match(rows[1] ?? '', /^Objects\s.*\+1$/s);
    assert.match(rows[2] ?? '', /^Size\s.*\+4 GB$/s);
    const bucketRow = page.getByRole('row').filter({ hasText: `${PREFIX}empty` });
    assert.match(await bucketRow.innerText(), /1\s+\+1\s+4 GB\s+\+4 GB/);
    await page.getByLabel('Later audit', { exact: true }).selectOption({ index: 1 });
    await page.getByRole('cell', { name: 'the same' }).first().waitFor();
    assert.doesNotMatch(page.url(), new RegExp(`to=${scanId}`));
    await visitor.leave();
  });

  it('says in words why a scan has failed', async () => {
    const { page, visitor } = suite;
    cloud.double.addFault({ effect: 'access_denied', operation: 'ListBuckets' });
    const { items } = await client.scanner.connections();
    const { scanId } = await client.scanner.start(items[0]?.connectionId ?? '');
    const failed = await client.scanner.waitFor(scanId, { pollMs: 200 });
    cloud.double.clearFaults();
    assert.equal(failed.error?.code, 'role_not_assumable');
    await visitor.logIn('alice', `/dashboard/audit/scans/${scanId}`);
    await page.getByText('The service cannot use this role').waitFor();
    await visitor.checkAccessibility('a failed scan');
    await page.getByRole('link', { name: 'start another one' }).click();
    await page.getByRole('row').filter({ hasText: 'Failed' }).first().waitFor();
    await visitor.leave();
  });

  it('shows nothing of it to another account', async () => {
    const { page, visitor } = suite;
    const { items } = await client.scanner.history();
    await visitor.logIn('bob', `/dashboard/audit/scans/${items[0]?.scanId}`);
    await page.getByText('Audit not found').waitFor();
    await page.getByRole('link', { name: 'All audits' }).click();
    await page.getByText('No cloud account is connected.').waitFor();
    await visitor.leave(/status of 404/);
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`has no violation that axe finds, and no view that is too wide, in the ${colorScheme} theme`, async () => {
      const { page, visitor } = suite;
      await page.emulateMedia({ colorScheme });
      const { items } = await client.scanner.history();
      const [to, from] = items.filter(({ status }) => status === 'completed');
      await visitor.logIn('alice', '/dashboard/audit');
      for (const path of [
        '/dashboard/audit',
        '/dashboard/audit/connect',
        `/dashboard/audit/scans/${to?.scanId}`,
        `/dashboard/audit/scans/${to?.scanId}/bill`,
        `/dashboard/audit/compare?from=${from?.scanId}&to=${to?.scanId}`,
      ])
        for (const width of [360, 1440]) {
          await page.setViewportSize({ width, height: 900 });
          await page.goto(`${suite.service.baseUrl}${path}`);
          await page.getByRole('heading', { level: 1 }).waitFor();
          await untilLoaded(page);
          await page.evaluate(
            "[...document.querySelectorAll('.bucket:not([open]) > summary')].slice(0, 2).forEach((each) => each.click())",
          );
          await visitor.checkWidth(path, width);
        }
      await visitor.leave();
    });

  it('disconnects, and keeps what was found', async () => {
    const { page, visitor } = suite;
    await visitor.logIn('alice', '/dashboard/audit');
    await page.getByRole('button', { name: `Disconnect ${CUSTOMER}` }).click();
    await visitor.checkAccessibility('the dialog of a disconnect');
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Disconnect', exact: true })
      .click();
    await page.getByText('No cloud account is connected.').waitFor();
    await page.getByRole('cell', { name: 'disconnected' }).first().waitFor();
    assert.deepEqual((await client.scanner.connections()).items, []);
    await visitor.leave();
  });
});
