import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { call } from '../harness/customer.ts';
import { createMigrationCustomer, type MigrationCustomer } from '../harness/migration-customer.ts';
import { startOwnStack, startServiceOn, type IsolatedService } from '../servers.ts';
import { describeInBrowser } from './browser-suite.ts';
import { heading, untilLoaded } from './visitor.ts';
import { VIEWS } from './views.ts';

const MIB = 2 ** 20;
const MINUTE_MS = 60_000;
const CALLS_A_MINUTE = 200;
const ANSWERED_MS = 100;
/** A browser has six connections to a host, and a call to the API holds one until it is answered. */
const TABS_WITHOUT_DATABASE = 4;
/** Its first sight needs no answer. */
const CONNECT = 'Connect an AWS account';

async function start(): Promise<IsolatedService> {
  const stack = await startOwnStack({ persistent: true });
  const service = await startServiceOn(stack, {
    environment: {
      DEFAULT_PLAN: 'enterprise',
      RATE_LIMIT_ACCOUNT: String(CALLS_A_MINUTE),
      PROVIDER_ENDPOINT_B2: stack.cloud?.s3Endpoint ?? '',
    },
  });
  return { stack, service };
}

describeInBrowser('the states of the views in a browser', start, function (suite) {
  this.timeout(4 * MINUTE_MS);
  after(() => suite.stack?.stop());

  const views = VIEWS.filter(([title]) => title !== CONNECT);

  /** Each view in a tab of its own. */
  async function openEach(of: typeof views): Promise<[title: string, page: Page][]> {
    return await Promise.all(
      of.map(async ([title, path]): Promise<[string, Page]> => {
        const page = await suite.visitor.context.newPage();
        await page.goto(`${suite.service.baseUrl}${path}`);
        await heading(page, title).waitFor();
        return [title, page];
      }),
    );
  }

  /** A migration whose copies take `latencyMs` each. */
  async function startMigration(latencyMs: number): Promise<[MigrationCustomer, string]> {
    const customer = await createMigrationCustomer(suite.stack, suite.service.baseUrl, 'acme');
    customer.put(Array.from({ length: 40 }, (_, index) => ({ key: `o/${index}.bin`, size: MIB })));
    const { double, target: bucket } = customer;
    double.addFault({ effect: 'latency', operation: 'PutObject', bucket, key: '*/o/*', latencyMs });
    return [customer, await customer.move()];
  }

  it('say what is not available, with the request id, and go on at the press of a button', async () => {
    const { visitor } = suite;
    await visitor.logIn('bob', '/dashboard');
    const isReady = async () => (await call(suite.service.baseUrl, 'GET /ready')).status === 200;
    for (let first = 0; first < views.length; first += TABS_WITHOUT_DATABASE) {
      await suite.stack.mongodb?.kill('SIGKILL');
      const tabs = await openEach(views.slice(first, first + TABS_WITHOUT_DATABASE));
      for (const [title, page] of tabs) {
        const alert = page.getByRole('alert').first();
        await alert.getByText('The service is unavailable').waitFor();
        assert.match(await alert.innerText(), /Code unavailable, request [\w-]{36}/, title);
        await visitor.checkAccessibility(`${title} without an answer`);
      }
      await suite.stack.mongodb?.restart();
      while (!(await isReady())) await delay(100);
      for (const [, page] of tabs) {
        // A tab in the background draws nothing, and only what is drawn can be pressed.
        await page.bringToFront();
        const again = page.getByRole('button', { name: 'Try again' });
        while ((await again.count()) > 0) {
          await again
            .first()
            // It may be gone by now: the page has tried again by itself.
            .click({ timeout: 1_000 })
            .catch(() => undefined);
          await untilLoaded(page);
        }
        assert.deepEqual(await page.getByRole('alert').allInnerTexts(), []);
        await page.close();
      }
    }
    await visitor.leave(/status of 503/);
  });

  it('say that there were too many calls, and try again by themselves', async () => {
    const { visitor } = suite;
    await visitor.logIn('bob', '/dashboard');
    await untilEarlyInAMinute();
    const token = suite.identity.issueToken({ account: 'globex' });
    const one = async () =>
      (await call(suite.service.baseUrl, 'GET /v1/account', { bearer: token })).status;
    await Promise.all(Array.from({ length: CALLS_A_MINUTE }, one));
    // One that failed because the database has just been restarted does not count.
    while ((await one()) !== 429);
    const connect = await suite.visitor.context.newPage();
    await connect.goto(`${suite.service.baseUrl}/dashboard/audit/connect`);
    await heading(connect, CONNECT).waitFor();
    const account = connect.getByLabel('AWS account of the service');
    await account.waitFor();
    const tabs = await openEach(views);
    for (const [title, page] of tabs) {
      await page.getByText('Too many requests in this minute').first().waitFor();
      await visitor.checkAccessibility(`${title} after too many calls`);
    }
    const timeout = 2 * MINUTE_MS;
    await account.waitFor({ state: 'detached', timeout });
    for (const [, page] of tabs)
      await page
        .getByText('Too many requests in this minute')
        .first()
        .waitFor({ state: 'detached', timeout });
    await visitor.leave(/status of 429/);
  });

  it('outlive a restart of the API, with the migration that they show', async () => {
    const [customer, migrationId] = await startMigration(3_000);
    const { page, visitor } = suite;
    await visitor.logIn('alice', `/dashboard/migrations/${migrationId}`);
    await page.getByText('Copying', { exact: true }).first().waitFor();
    const field = page.getByLabel('Key of an object');
    await field.fill('o/7.bin');
    const [api] = suite.service.apis;
    await api?.kill('SIGKILL');
    await page.getByText('The service cannot be reached').first().waitFor();
    await visitor.checkAccessibility('a migration without the API');
    await api?.restart();
    await page.getByText('Completed', { exact: true }).first().waitFor({ timeout: MINUTE_MS });
    assert.equal(await field.inputValue(), 'o/7.bin');
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.equal((await customer.migrated(migrationId)).status, 'completed');
    await visitor.leave(/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/);
  });

  it('cost the API at most a request a second while something runs, and none in a hidden tab', async () => {
    const [, migrationId] = await startMigration(5_000);
    const { page, visitor } = suite;
    let requests = 0;
    page.on('request', (request) => {
      if (request.url().includes('/v1/')) requests += 1;
    });
    /** The page's clock goes on by a second in the time that an answer takes. */
    const during = async (seconds: number) => {
      const before = requests;
      for (let second = 0; second < seconds; second += 1) {
        await page.clock.runFor(1_000);
        await delay(ANSWERED_MS);
      }
      return requests - before;
    };
    await page.clock.install();
    await visitor.logIn('alice', `/dashboard/migrations/${migrationId}`);
    await page.getByText('Copying', { exact: true }).first().waitFor();
    const running = await during(15);
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await heading(page, 'Overview').waitFor();
    await untilLoaded(page);
    const overview = await during(30);
    await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await delay(1_000);
    const hidden = await during(35);
    process.stdout.write(
      `      requests a minute: ${4 * running} at a running migration, ${2 * overview} at the overview\n`,
    );
    assert.ok(running >= 1 && running <= 15, `${running} requests in 15 s`);
    assert.ok(overview >= 1 && overview <= 30, `${overview} requests in 30 s`);
    assert.equal(hidden, 0);
    await visitor.leave();
  });
});

/** So that what uses up a minute is not split by its end. */
async function untilEarlyInAMinute(): Promise<void> {
  const passed = () => Date.now() % MINUTE_MS;
  // A timer may fire a millisecond before the clock has the time.
  while (passed() > MINUTE_MS / 3) await delay(MINUTE_MS - passed());
}
