import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import * as esbuild from 'esbuild';
import { build as vite, createLogger } from 'vite';
import webpack from 'webpack';
import { installPacked, repository } from './packed.ts';

/** What a page uses that uploads by `put` or in parts, and one that has the whole client. */
const PAGES = {
  put: 'put, StorageRoutingError',
  upload: 'createFileUpload',
  client: 'createClient, formatUsd, put',
};

/** About a seventh more than the current sizes, as a margin. */
const MOST_GZIP_BYTES = { client: 13_500, upload: 7_000, put: 4_000 };

interface Page {
  entry: string;
  folder: string;
  outputFolder: string;
}

/** Bundles a page for browsers, and returns the warnings. */
const bundlers: Record<string, (page: Page) => Promise<string[]>> = {
  async esbuild({ entry, outputFolder }) {
    const form = { bundle: true, minify: true, format: 'esm', logLevel: 'silent' } as const;
    const { warnings } = await esbuild.build({
      entryPoints: [entry],
      outdir: outputFolder,
      ...form,
    });
    return warnings.map(({ text }) => text);
  },
  async vite({ entry, folder, outputFolder }) {
    const warnings: string[] = [];
    const customLogger = createLogger('silent');
    customLogger.warn = customLogger.warnOnce = (message) => void warnings.push(message);
    const build = { outDir: outputFolder, rolldownOptions: { input: entry }, modulePreload: false };
    await vite({ configFile: false, root: folder, customLogger, build });
    return warnings;
  },
  async webpack({ entry, folder, outputFolder }) {
    const output = { path: outputFolder };
    const compiler = webpack({ mode: 'production', context: folder, entry, output });
    const stats = await new Promise<webpack.Stats | undefined>((resolve, reject) => {
      compiler?.run((error, done) => (error ? reject(error) : resolve(done)));
    });
    await new Promise<void>((resolve) => compiler?.close(() => resolve()));
    const { warnings = [], errors = [] } = stats?.toJson() ?? assert.fail('webpack gave nothing');
    return [...warnings, ...errors].map(({ message }) => message);
  },
};

describe('the client library in a page', () => {
  let folder: string;
  before(async () => {
    folder = await installPacked();
    await mkdir(join(folder, 'pages'));
    for (const [name, used] of Object.entries(PAGES)) {
      const source = `import { ${used} } from '@storage-routing/client'; globalThis.page = { ${used} };`;
      await writeFile(join(folder, 'pages', `${name}.js`), source);
    }
  });

  for (const [bundler, bundle] of Object.entries(bundlers)) {
    for (const name of Object.keys(PAGES)) {
      it(`is bundled by ${bundler} without a warning, with nothing outside: ${name}`, async () => {
        const entry = join(folder, 'pages', `${name}.js`);
        const outputFolder = join(folder, 'bundled', bundler, name);
        assert.deepEqual(await bundle({ entry, folder, outputFolder }), []);
        const written = await readdir(outputFolder, { recursive: true });
        const [file = '', ...others] = written.filter((name) => name.endsWith('.js'));
        assert.deepEqual(others, []);
        const code = await readFile(join(outputFolder, file), 'utf8');
        assert.doesNotMatch(code, /\bnode:|\bimport\s*[({"']|\brequire\(|\bfrom\s*["']/);
        // Nothing but the language: to load, the library needs neither Node nor a page.
        const context = createContext({});
        runInContext(code, context);
        const { page } = context as { page: Record<string, unknown> };
        assert.ok(Object.values(page).every((value) => typeof value === 'function'));
      });
    }
  }

  it('is small, and a page that only sends takes a third of it', async () => {
    const cwd = join(repository, 'sdk');
    const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'size'], { cwd });
    for (const [name, most] of Object.entries(MOST_GZIP_BYTES)) {
      const [, gzipBytes] =
        new RegExp(`^${name}: \\d+ bytes minified, (\\d+) bytes gzip$`, 'm').exec(stdout) ?? [];
      assert.ok(Number(gzipBytes) < most, stdout);
    }
  });
});
