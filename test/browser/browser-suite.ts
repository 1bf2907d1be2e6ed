import assert from 'node:assert/strict';
import process from 'node:process';
import type { Browser, Page } from 'playwright-core';
import type { IdentityProvider } from '../../dev/identity/identity.ts';
import { buildPageOnce } from '../harness/page-build.ts';
import type { IsolatedService } from '../servers.ts';
import { findChromium, launchChromium } from './chromium.ts';
import { createVisitor, type Origins, type Visitor } from './visitor.ts';

/** What the tests of a suite share, and the visitor of the test that runs. */
export interface BrowserSuite extends IsolatedService {
  readonly identity: IdentityProvider;
  readonly visitor: Visitor;
  /** Of the visitor. */
  readonly page: Page;
  /** A further visitor, who may see other origins. */
  visit(origins?: Partial<Origins>): Promise<Visitor>;
}

/** A suite with a browser and a service of its own, and a new visitor for each test; none where no browser is. */
export function describeInBrowser(
  title: string,
  start: () => Promise<IsolatedService>,
  describeTests: (this: Mocha.Suite, suite: BrowserSuite) => void,
  originsOf: (suite: BrowserSuite) => Partial<Origins> = () => ({}),
): void {
  const chromiumPath = findChromium();
  if (chromiumPath === undefined) {
    process.stdout.write('No Chromium is on this machine (CHROMIUM_PATH): no test in a browser.\n');
    return;
  }
  describe(title, function () {
    let browser: Browser | undefined;
    const suite = {} as { -readonly [Field in keyof BrowserSuite]: BrowserSuite[Field] };
    before(async () => {
      await buildPageOnce();
      Object.assign(suite, await start());
      suite.identity = suite.stack.identity ?? assert.fail('the identity provider is elsewhere');
      const launched = await launchChromium(chromiumPath);
      browser = launched;
      suite.visit = async (origins) => {
        const own = { api: suite.service.baseUrl, issuer: suite.identity.issuer };
        return await createVisitor(launched, { ...own, ...originsOf(suite), ...origins });
      };
    });
    after(async () => {
      await browser?.close();
      await suite.service?.stop();
    });
    beforeEach(async () => {
      suite.visitor = await suite.visit();
      suite.page = suite.visitor.page;
    });
    describeTests.call(this, suite);
  });
}
