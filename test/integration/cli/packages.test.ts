import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { opened } from '../../harness/opened.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const tool = (name: string) => join(repository, 'node_modules/.bin', name);

describe('the published packages', function () {
  this.timeout(120_000);
  const folder = opened(async () => {
    const path = await mkdtemp(join(tmpdir(), 'srs-packages-'));
    return { path, close: () => rm(path, { recursive: true }) };
  });

  for (const workspace of ['sdk', 'cli', 'audit', 'react'])
    it(`have entries and types that resolve: ${workspace}`, async () => {
      const cwd = join(repository, workspace);
      // As `npm publish` does, with the build before.
      const pack = ['pack', '--json', '--silent', '--pack-destination', folder.path];
      const { stdout } = await run('npm', pack, { cwd });
      const json = stdout.slice(stdout.indexOf('[\n'));
      const [packed = assert.fail()] = JSON.parse(json) as {
        filename: string;
        files: { path: string }[];
      }[];
      const names = packed.files.map(({ path }) => path);
      for (const name of ['LICENSE', 'README.md', 'package.json']) assert.ok(names.includes(name));
      assert.ok(
        names.every((name) => name.startsWith('dist/') || !name.includes('/')),
        names.join(),
      );
      const { description, repository: from } = JSON.parse(
        await readFile(join(cwd, 'package.json'), 'utf8'),
      ) as { description?: string; repository?: { directory: string } };
      assert.ok(description);
      assert.equal(from?.directory, workspace);
      await passes('publint', ['--strict', cwd]);
      await passes('attw', ['--profile', 'esm-only', join(folder.path, packed.filename)]);
    });
});

async function passes(name: string, args: readonly string[]): Promise<void> {
  const { code, stdout } = await run(tool(name), args).then(
    (ran) => ({ code: 0, stdout: ran.stdout }),
    (error: unknown) => error as { code: number; stdout: string },
  );
  assert.equal(code, 0, stdout);
}
