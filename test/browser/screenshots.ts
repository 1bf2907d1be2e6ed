import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { configureAccount } from '../../dev/first-account.ts';
import { SAMPLE_LIMITS } from '../../dev/sample-account.ts';
import { createProgress } from '../../dev/system/progress.ts';
import { startService } from '../../dev/service.ts';
import { startStack } from '../../dev/stack.ts';
import { buildPageOnce, ROOT } from '../harness/page-build.ts';
import { findChromium, launchChromium } from './chromium.ts';
import { auditSampleAccount } from './sample-audit.ts';
import { createVisitor, untilLoaded } from './visitor.ts';
import { VIEWS } from './views.ts';

const WIDTHS = [390, 1280, 1440];
const HEIGHT = 900;
const FOLDER = join(ROOT, 'dist/screenshots');

/** `npm run screenshots`: every view in three widths and both themes, of an account with some uploads. */
async function takeScreenshots(chromiumPath: string): Promise<void> {
  await Promise.all([buildPageOnce(), mkdir(FOLDER, { recursive: true })]);
  const stack = await startStack({ progress: createProgress() });
  const service = await startService(stack, {
    environment: { DEFAULT_PLAN: 'growth', ...SAMPLE_LIMITS },
  });
  const browser = await launchChromium(chromiumPath);
  try {
    const { client } = await configureAccount(service.baseUrl, stack.environment);
    for (const [index, priority] of (['hot', 'archive', 'cold'] as const).entries())
      await client.upload({
        source: new Uint8Array(10 ** (index + 4)),
        fileName: `${priority}.bin`,
        priority,
      });
    const cloud = stack.cloud ?? assert.fail('the AWS double is elsewhere');
    const { from, to, migrationId, open } = await auditSampleAccount(client, cloud);
    const [file] = (await client.analytics.routingHistory()).items;
    const views = [
      ...VIEWS,
      ['Audit of an account', `/dashboard/audit/scans/${to}`],
      ['Bill', `/dashboard/audit/scans/${to}/bill`],
      ['Report', `/dashboard/audit/scans/${to}/report`],
      ['Compare two audits', `/dashboard/audit/compare?from=${from}&to=${to}`],
      ['Recommendation', `/dashboard/recommendations/${open}`],
      ['Migration', `/dashboard/migrations/${migrationId}`],
      ['Routing decision', `/dashboard/usage/files/${file?.fileId}`],
    ] as const;
    const issuer = stack.environment['JWT_ISSUER'] ?? '';
    const visitor = await createVisitor(browser, { api: service.baseUrl, issuer });
    const { page } = visitor;
    await page.goto(`${service.baseUrl}/dashboard`);
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    await page.screenshot({ path: join(FOLDER, 'login.png') });
    await visitor.logIn('alice', '/dashboard');
    for (const [title, path] of views)
      for (const colorScheme of ['light', 'dark'] as const)
        for (const width of WIDTHS) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: HEIGHT });
          await page.goto(`${service.baseUrl}${path}`);
          await page.getByRole('heading', { level: 1, name: title }).waitFor();
          await untilLoaded(page);
          const file = `${title.toLowerCase().replaceAll(/\W+/g, '-')}-${width}-${colorScheme}.png`;
          await page.screenshot({ path: join(FOLDER, file), fullPage: true });
        }
    await visitor.leave();
    process.stdout.write(`${FOLDER}\n`);
  } finally {
    await browser.close();
    await service.stop();
    await stack.stop();
  }
}

const chromiumPath = findChromium();
if (chromiumPath === undefined)
  process.stdout.write('No Chromium is on this machine (CHROMIUM_PATH).\n');
else await takeScreenshots(chromiumPath);
