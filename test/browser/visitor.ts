import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** A browser of one person, whose every request and console line is kept. */
export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Opens a path of the API, and logs in where the page asks for it. */
  logIn(user: string, path: string): Promise<void>;
  /** Fails with each violation that axe finds on the page. */
  checkAccessibility(what: string): Promise<void>;
  /** That, and fails where the page is wider than its window, which gets this width first. */
  checkWidth(what: string, width: number): Promise<void>;
  /**
   * Closes the browser; fails where the console has an error, or a request went to an origin that is not
   * allowed. `expected` are the errors of a test that causes them.
   */
  leave(expected?: RegExp): Promise<void>;
}

/** What a visitor may ask for. */
export interface Origins {
  readonly api: string;
  readonly issuer: string;
  readonly store?: string;
  readonly payment?: string;
}

/** Chromium notes the answers about a source that was never checked, and about no schedule. */
const NEVER_SET = /status of 404 .*\/(?:release|drills\/schedule)\)$/;

export async function createVisitor(browser: Browser, origins: Origins): Promise<Visitor> {
  const context = await browser.newContext({ locale: 'en-US', timezoneId: 'Europe/Berlin' });
  const errors: string[] = [];
  const foreign: string[] = [];
  const allowed = new Set(Object.values(origins).map((url) => new URL(url).origin));
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      errors.push(`${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => errors.push(String(error.error())));
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'data:' && !allowed.has(origin)) foreign.push(request.url());
  });
  const page = await context.newPage();
  const checkAccessibility = async (what: string) => {
    await page.evaluate(AXE);
    const options = JSON.stringify({ runOnly: { type: 'tag', values: RULES } });
    const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.html).join()}`);
    assert.deepEqual(found, [], what);
  };
  return {
    context,
    page,
    async logIn(user, path) {
      await page.goto(`${origins.api}${path}`);
      await page.getByRole('button', { name: 'Log in' }).click();
      await chooseUser(page, user);
      await page.waitForURL(`${origins.api}${path}`);
    },
    checkAccessibility,
    async checkWidth(what, width) {
      await page.setViewportSize({ width, height: 900 });
      await untilLoaded(page);
      await checkAccessibility(`${what}, ${width} px`);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(overflow) <= 0, `${what} is ${String(overflow)} px too wide at ${width} px`);
    },
    async leave(expected) {
      await context.close();
      const unexpected = errors.filter((error) => !NEVER_SET.test(error) && !expected?.test(error));
      assert.deepEqual(unexpected, [], 'errors in the console');
      assert.deepEqual(foreign, [], 'requests to other origins');
    },
  };
}

export const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

/** The page of the identity provider, in this window or in another. */
export async function chooseUser(page: Page, user: string): Promise<void> {
  await page.getByRole('button', { name: `Log in as ${user}` }).click();
}

/** Until no part of a view waits for its first data, and every plot is drawn. */
export async function untilLoaded(page: Page): Promise<void> {
  const skeletons = page.locator('.skeleton');
  while ((await skeletons.count()) > 0) await skeletons.first().waitFor({ state: 'detached' });
  const plots = page.locator('.plot');
  for (let plot = 0; plot < (await plots.count()); plot += 1)
    await plots.nth(plot).locator('canvas').waitFor({ state: 'attached' });
}
