import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { srs } from './terminal.ts';

const cli = new URL('../../../cli/', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', cli), 'utf8')) as {
  version: string;
  dependencies: Record<string, string>;
};

describe('the package of srs', () => {
  it('prints its version', async () => {
    assert.equal((await srs(['--version'])).stdout, `${manifest.version}\n`);
  });

  it('imports only its dependencies, its own files and Node modules', async () => {
    const source = new URL('src/', cli);
    const imported = new Set<string>();
    for (const name of await readdir(source, { recursive: true })) {
      if (!name.endsWith('.ts')) continue;
      const text = await readFile(new URL(name, source), 'utf8');
      for (const [, from = ''] of text.matchAll(/(?: from |import\()'([^']+)'/g))
        imported.add(from);
    }
    const packages = [...imported].filter((name) => !/^(?:\.{1,2}\/|node:)/.test(name));
    assert.deepEqual(packages.sort(), Object.keys(manifest.dependencies).sort());
  });

  it('documents every command', async () => {
    const { stdout } = await srs(['--help']);
    const readme = await readFile(new URL('README.md', cli), 'utf8');
    const [, listed = ''] = stdout.split('Commands:\n');
    const names = [...listed.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = '']) => name);
    assert.ok(names.length > 12);
    for (const name of names.filter((one) => one !== 'help')) {
      assert.match(readme, new RegExp(`^\\|.*\`${name}[ \`]`, 'm'), name);
    }
  });
});
