import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createProcesses, type Processes } from '../../dev/system/processes.ts';
import {
  buildImages,
  inContainers,
  openImageEngine,
  type ImageEngine,
} from '../harness/image-engine.ts';
import { itKeepsItsPromises } from '../harness/trial-story.ts';
import { parseAllowedEntries } from '../unit/deployment/dockerfile.ts';
import { readText, ROOT } from '../unit/deployment/compose.ts';

const SECRETS = ['dashboard/.env', 'api/private.pem', 'worker/.env.local'];

/** Takes about ten minutes: it builds the images and runs the trial in them. */
describe('the images of the Dockerfile, on an engine', function () {
  this.timeout(30 * 60_000);
  let processes: Processes;
  let engine: ImageEngine;
  let checkout: string;

  before(async function () {
    processes = createProcesses((text) => process.stdout.write(`${text}\n`));
    const opened = await openImageEngine(processes).catch((error: unknown) => String(error));
    if (typeof opened === 'string') {
      process.stdout.write(`  no container engine can be started here: ${opened}\n`);
      this.skip();
    }
    engine = opened;
    checkout = await mkdtemp(join(tmpdir(), 'checkout-'));
    execFileSync('git', ['clone', '--quiet', ROOT, checkout]);
    for (const secret of SECRETS) await writeFile(join(checkout, secret), 'secret');
  });
  after(async () => {
    await engine?.close();
    await processes?.stopAll();
    if (checkout) await rm(checkout, { recursive: true, force: true });
  });

  it('are all built', () => buildImages(engine, checkout));

  it('are made of tracked files only', async () => {
    const name = 'storage-routing-test-context';
    await writeFile(join(checkout, 'Context.Dockerfile'), 'FROM scratch\nCOPY . /\n');
    const file = join(checkout, 'Context.Dockerfile');
    await engine.docker(['build', '--tag', name, '--file', file, checkout]);
    const id = (await engine.docker(['create', name, 'none'])).trim();
    const archive = join(checkout, '..', `${id}.tar`);
    await engine.docker(['export', '--output', archive, id]);
    const listed = execFileSync('tar', ['-tf', archive], { encoding: 'utf8' }).split('\n');
    await rm(archive);
    await engine.docker(['rm', id]);
    const allowed = parseAllowedEntries(readText('.dockerignore'));
    const tracked = execFileSync('git', ['ls-files'], { cwd: checkout, encoding: 'utf8' })
      .split('\n')
      .filter((path) => allowed.includes(path.split('/')[0] ?? ''));
    // An engine adds some of its own to each container.
    const own = /^(?:dev|etc|proc|sys)\/|^\.dockerenv$/;
    const found = listed.filter((path) => path !== '' && !path.endsWith('/'));
    const isTracked = new Set(tracked);
    assert.deepEqual(
      found.filter((path) => !isTracked.has(path) && !own.test(path)),
      [],
    );
    assert.deepEqual(
      tracked.filter((path) => !found.includes(path)),
      [],
    );
  });

  describe('as the trial of docker-compose.yml', () => {
    itKeepsItsPromises(async (stack, folder) => {
      // The containers run as another user.
      await chmod(folder, 0o777);
      return { ...stack, processes: inContainers(stack.processes, engine, folder) };
    });
  });
});
