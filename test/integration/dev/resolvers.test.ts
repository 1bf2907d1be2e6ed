import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCache } from '../../../dev/system/cache.ts';
import { firstAvailable, NotAvailableError } from '../../../dev/system/resolvers.ts';
import { createProgress, silentProgress } from '../../../dev/system/progress.ts';
import { findProgram, type Service, type ResolverContext } from '../../../dev/services/service.ts';
import {
  nativeFromCache,
  installed,
  fromPath,
  requireVersion,
} from '../../../dev/services/program-resolvers.ts';
import { exitOf, readUntil, runTypeScript } from './fixtures/run.ts';

describe('the resolvers of a program', () => {
  let folder: string;
  let lines: string[];
  let resolverContext: ResolverContext;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'resolvers-'));
    lines = [];
    const progress = createProgress((line) => lines.push(line));
    resolverContext = { progress, cache: createCache(progress, folder) };
  });
  afterEach(async () => await rm(folder, { recursive: true }));

  const target = { name: 'tool', version: '1', program: 'tool', versionArgs: ['--version'] };
  const makeTool = (exitCode: number) => async (building: string) => {
    await writeFile(join(building, 'tool'), `#!/bin/sh\nexit ${exitCode}\n`);
    await chmod(join(building, 'tool'), 0o755);
  };
  const unreachable = async () => await Promise.reject(new Error('no route'));
  const toolService = (...makers: [string, (building: string) => Promise<void>][]): Service => ({
    name: 'tool',
    version: '1',
    addresses: [],
    resolvers: (shop) => [
      fromPath('no-such-tool', async () => {}),
      nativeFromCache(shop, target),
      ...makers.map(([name, make]) => installed(shop, target, name, make)),
    ],
  });

  it('prints why a resolver failed in one line, and tries the next', async () => {
    const program = await findProgram(
      toolService(['download', unreachable], ['build', makeTool(0)]),
      resolverContext,
    );
    assert.equal(program.command, join(folder, 'tool', '1', 'tool'));
    assert.equal(lines.filter((line) => line.includes('download: failed: no route')).length, 1);
    assert.equal(lines.filter((line) => line.includes('build: done')).length, 1);
  });

  it('finds a cached program without output', async () => {
    await findProgram(toolService(['build', makeTool(0)]), resolverContext);
    lines.length = 0;
    await findProgram(toolService(['build', unreachable]), resolverContext);
    assert.deepEqual(lines, []);
  });

  it('does not accept a program that does not run on this machine', async () => {
    await assert.rejects(
      findProgram(toolService(['build', makeTool(3)]), resolverContext),
      /ended with code 3/,
    );
    assert.deepEqual(await readdir(join(folder, 'tool')), []);
  });

  it('lists every failed resolver and the log folder', async () => {
    const failing = findProgram(
      toolService(['download', unreachable], ['build', unreachable]),
      resolverContext,
    );
    await assert.rejects(failing, (error: Error) => {
      assert.ok(error instanceof NotAvailableError);
      for (const resolver of [
        'on the PATH',
        'in the cache',
        'download: no route',
        'build: no route',
      ]) {
        assert.ok(error.message.includes(resolver), resolver);
      }
      return error.message.includes(join(folder, 'logs'));
    });
  });

  it('removes the folder of an aborted build', async () => {
    await mkdir(join(folder, 'tool', '1.building-dead'), { recursive: true });
    await findProgram(toolService(['build', makeTool(0)]), resolverContext);
    assert.deepEqual(await readdir(join(folder, 'tool')), ['1']);
  });

  it('builds once for two concurrent checkouts', async () => {
    const file = 'test/integration/dev/fixtures/build-once.ts';
    const children = [runTypeScript(file, [folder]), runTypeScript(file, [folder])];
    const places = await Promise.all(
      children.map(async (child) => await readUntil(child, /tool\/1$/)),
    );
    await Promise.all(children.map(exitOf));
    assert.equal(places[0], places[1]);
    assert.equal(await readFile(join(folder, 'builds'), 'utf8'), 'built\n');
    assert.deepEqual(await readdir(places[0] ?? ''), ['first', 'second']);
  });

  it('skips a program on the PATH that is too old', async () => {
    const old = {
      name: 'on the PATH',
      resolve: async () => requireVersion('Server 1.20.3', /Server (\d+)\.(\d+)/, [1, 28]),
    };
    const next = { name: 'next', resolve: async () => {} };
    await firstAvailable('tool', [old, next], silentProgress, folder);
    await assert.rejects(
      firstAvailable('tool', [old], silentProgress, folder),
      /Server 1\.20 is older than 1\.28/,
    );
  });
});
