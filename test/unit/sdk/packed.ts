import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const repository = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

/** A folder with the packed client library as its only dependency, removed after the tests. */
export async function installPacked(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'srs-sdk-package-'));
  after(() => rm(folder, { recursive: true }));
  await run('npm', ['pack', '--pack-destination', folder], { cwd: join(repository, 'sdk') });
  const [tarball = assert.fail('nothing was packed')] = await readdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }');
  const quiet = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quiet, join(folder, tarball)], { cwd: folder });
  return folder;
}
