import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILD_FOLDER, readPageBuild, type PageBuild } from '../../api/page/build.ts';
import { runLogged } from '../../dev/system/commands.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BUILD_TIMEOUT_MS = 120_000;

/** `npm test` builds first; for a single file, the page is built where it is missing. */
export async function buildPageOnce(): Promise<PageBuild> {
  if (!existsSync(new URL('index.html', BUILD_FOLDER))) {
    await mkdir(join(ROOT, 'dist'), { recursive: true });
    await runLogged('npm', ['run', '--silent', 'build', '-w', 'dashboard'], {
      folder: ROOT,
      environment: {},
      logFile: join(ROOT, 'dist/dashboard-build.log'),
      timeoutMs: BUILD_TIMEOUT_MS,
    });
  }
  return (await readPageBuild(BUILD_FOLDER)) ?? assert.fail('the page is not built');
}
