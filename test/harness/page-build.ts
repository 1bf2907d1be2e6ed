import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILD_FOLDER, readPageBuild, type PageBuild } from '../../api/page/build.ts';
import { buildDashboard } from '../../dev/dashboard.ts';
import { createProgress } from '../../dev/system/progress.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** `npm test` builds first; for a single file, the page is built where it is missing or outdated. */
export async function buildPageOnce(): Promise<PageBuild> {
  const logFolder = join(ROOT, 'dist');
  await mkdir(logFolder, { recursive: true });
  await buildDashboard(logFolder, createProgress());
  return (await readPageBuild(BUILD_FOLDER)) ?? assert.fail('the page is not built');
}
