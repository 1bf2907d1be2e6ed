import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseAllowedEntries, parseDockerfile } from './dockerfile.ts';
import { ROOT, readText } from './compose.ts';

const IMPORTED = /(?:^(?:import|export) (?!type )(?:[^;']* from )?|\bawait import\()'([^']+)'/gm;

/** The files and packages that a program loads, found by following its imports. */
function reachOf(entry: string): { files: string[]; packages: string[] } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(IMPORTED)) {
      if (name.startsWith('.')) visit(resolve(dirname(file), name));
      else if (!name.startsWith('node:')) packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '');
    }
  };
  visit(join(ROOT, entry));
  return { files: [...files], packages: [...packages] };
}

const dependenciesOf = (path: string) =>
  Object.keys((JSON.parse(readText(path)) as { dependencies?: object }).dependencies ?? {});

describe('the images', () => {
  const stages = parseDockerfile(readText('Dockerfile'));
  const shared = dependenciesOf('package.json');
  const workers = dependenciesOf('worker/package.json');

  it('contain what the API loads, and no package that only a worker loads', () => {
    const entries = ['api/main.ts', 'api/codec/main.ts'];
    const packages = entries.flatMap((entry) => reachOf(entry).packages);
    for (const name of ['koa', 'stripe', '@opentelemetry/sdk-trace-base'])
      assert.ok(packages.includes(name), `imports were not followed to ${name}`);
    for (const name of packages) assert.ok(shared.includes(name), `the API lacks ${name}`);
    for (const name of workers) assert.ok(!shared.includes(name), `the API would carry ${name}`);
  });

  for (const entry of ['worker/main.ts', 'worker/reseal.ts'])
    it(`contain what ${entry} loads`, () => {
      for (const name of reachOf(entry).packages)
        assert.ok([...shared, ...workers].includes(name), `a worker lacks ${name}`);
    });

  it('are made of a context that holds their sources and no more', () => {
    const entries = parseAllowedEntries(readText('.dockerignore'));
    for (const entry of entries) assert.ok(existsSync(join(ROOT, entry)), `${entry} is gone`);
    const workers = ['worker/main.ts', 'worker/build-bundle.ts', 'workflows/index.ts'];
    for (const entry of ['api/main.ts', 'api/codec/main.ts', ...workers, 'dev/trial.ts'])
      for (const file of reachOf(entry).files) {
        const top = file.slice(ROOT.length + 1).split('/')[0] ?? '';
        assert.ok(entries.includes(top), `${file} is not in the context`);
      }
    for (const secret of ['.env', '.git', 'node_modules', 'dist'])
      assert.ok(!entries.includes(secret));
    const left = readText('.dockerignore').split('\n');
    for (const nested of ['**/.env*', '**/*.pem', '**/node_modules', '**/dist'])
      assert.ok(left.includes(nested), nested);
  });

  it('give a worker the certificates that Temporal\u2019s bridge reads from a file', () => {
    const worker = stages.find(({ name }) => name === 'worker')?.instructions ?? [];
    const [, file] =
      worker.find(({ value }) => value.startsWith('SSL_CERT_FILE='))?.value.split('=') ?? [];
    assert.ok(worker.some(({ name, value }) => name === 'COPY' && value.endsWith(` ${file}`)));
  });

  it('share their base, run as a number that is not root, and start without a shell', () => {
    const stageOf = (name: string) => stages.find((stage) => stage.name === name);
    const bases = stages.map(({ from }) => from).filter((from) => !stageOf(from));
    assert.equal(new Set(bases).size, 1);
    assert.match(bases[0] ?? '', /^node:24\.\d+\.\d+-[\w-]+@sha256:[0-9a-f]{64}$/);
    const valueOf = (stage: string, instruction: string) =>
      stageOf(stage)?.instructions.findLast(({ name }) => name === instruction)?.value;
    assert.match(valueOf('runtime', 'USER') ?? '', /^[1-9]\d*:[1-9]\d*$/);
    assert.equal(valueOf('runtime', 'STOPSIGNAL'), 'SIGTERM');
    for (const name of ['api', 'worker']) {
      assert.deepEqual(JSON.parse(valueOf(name, 'CMD') ?? ''), ['node', `dist/${name}/main.js`]);
      assert.ok(valueOf(name, 'HEALTHCHECK')?.includes('CMD ["node",'));
      assert.equal(stageOf(name)?.from, 'runtime');
    }
  });
});
