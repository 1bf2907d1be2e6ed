import { access, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { configureAccount } from '../first-account.ts';
import type { Environment } from '../parts/part.ts';
import { takeFreePort } from '../ports.ts';
import type { ProcessHandle } from '../processes.ts';
import { createProgress, type Progress } from '../progress.ts';
import { startStack, type Stack } from '../stack.ts';
import { createTrees, type Tree } from './build.ts';
import { sizeOf, startTree } from './run.ts';

const ROOT = join(import.meta.dirname, '../..');
/** What the API has no use for and what makes a worker large. */
const WORKERS_OWN = ['@temporalio/worker', '@temporalio/core-bridge', '@swc/core', 'webpack'];
/** What nobody has a use for once it is built. */
const NOT_IN_PRODUCTION = ['typescript', 'mocha', 'tsx', '@temporalio/testing'];
/** Read from files, as under an orchestrator that mounts secrets. */
const SECRETS = ['MONGODB_URI', 'CREDENTIAL_KEYS'];

/**
 * `npm run image:check`: carries out the Dockerfile in a temporary folder and uses what comes of it,
 * against the local servers. For machines without an engine; what it leaves open is in docs/deploying.md.
 */
async function check(progress: Progress, folder: string): Promise<void> {
  const treeOf = await createTrees(ROOT, folder);
  const trees: Record<string, Tree> = {};
  for (const name of ['api', 'worker']) {
    const done = progress.begin(`the steps of the image ${name}`);
    // oxlint-disable-next-line no-await-in-loop -- the two share stages
    trees[name] = await treeOf(name);
    done('carried out');
  }
  const { api, worker } = trees;
  if (api === undefined || worker === undefined) throw new Error('no trees');
  await refuse(api, [...WORKERS_OWN, ...NOT_IN_PRODUCTION]);
  await refuse(worker, NOT_IN_PRODUCTION);

  const stack = await startStack({ progress });
  try {
    await use(stack, api, worker, folder, progress);
  } finally {
    await stack.stop();
  }
  for (const [name, { root, workingFolder }] of Object.entries({ api, worker })) {
    const packages = await sizeOf(join(root, workingFolder, 'node_modules'));
    progress.say(`${name}: ${await sizeOf(root)} MiB on top of node, ${packages} of them packages`);
  }
}

/** Starts both, uploads a file through them, and stops them. */
async function use(
  stack: Stack,
  api: Tree,
  worker: Tree,
  folder: string,
  progress: Progress,
): Promise<void> {
  const [port, metricsPort, workerPort] = await Promise.all([
    takeFreePort(),
    takeFreePort(),
    takeFreePort(),
  ]);
  const baseUrl = `http://127.0.0.1:${port}`;
  const common = {
    ...(await withSecretsAsFiles(stack.environment, folder)),
    HOST: '127.0.0.1',
    DEFAULT_PLAN: 'growth',
  };
  const processes = [
    await startTree(
      api,
      stack.processes,
      'image-api',
      { ...common, PORT: String(port), METRICS_PORT: String(metricsPort) },
      `${baseUrl}/ready`,
    ),
    await startTree(
      worker,
      stack.processes,
      'image-worker',
      { ...common, METRICS_PORT: String(workerPort) },
      `http://127.0.0.1:${workerPort}/metrics`,
    ),
  ];
  progress.say(`GET /ready of the API, GET /metrics of the worker: 200, as user ${api.user}`);

  const { client, apiKey } = await configureAccount(baseUrl, stack.environment);
  const init = await fetch(`${baseUrl}/v1/upload/init`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ fileName: 'a.txt', contentType: 'text/plain', fileSizeBytes: 5 }),
  });
  if (init.status !== 201) throw new Error(`init: ${init.status}`);
  const source = new Blob(['by way of two images'], { type: 'text/plain' });
  const uploaded = await client.upload({ source, fileName: 'image.txt' });
  progress.say(`POST /v1/upload/init: ${init.status}; complete, by the worker: ${uploaded.status}`);
  const page = await fetch(`${baseUrl}/docs`);
  if (page.status !== 200) throw new Error(`GET /docs: ${page.status}`);
  await Promise.all(processes.map(stopInTime));
  progress.say('SIGTERM: both end by themselves');
}

async function stopInTime(handle: ProcessHandle): Promise<void> {
  const begunAt = performance.now();
  await handle.stop();
  const seconds = (performance.now() - begunAt) / 1000;
  if (seconds > 20) throw new Error(`${handle.name} took ${seconds.toFixed(1)} s to end`);
}

async function withSecretsAsFiles(stack: Environment, folder: string): Promise<Environment> {
  const secrets = join(folder, 'secrets');
  const files = SECRETS.map((name) => [`${name}_FILE`, `${secrets}-${name}`] as const);
  const contents = SECRETS.map((name) => stack[name] ?? '');
  await Promise.all(
    files.map(async ([, file], index) => await writeFile(file, `${contents[index]}\n`)),
  );
  return {
    ...stack,
    ...Object.fromEntries(SECRETS.map((name) => [name, ''])),
    ...Object.fromEntries(files),
  };
}

async function refuse({ root, workingFolder }: Tree, packages: readonly string[]): Promise<void> {
  for (const name of packages) {
    const isThere = access(join(root, workingFolder, 'node_modules', name)).then(
      () => true,
      () => false,
    );
    // oxlint-disable-next-line no-await-in-loop -- the first one that is there ends it
    if (await isThere) throw new Error(`${name} has come into ${root}`);
  }
}

const progress = createProgress();
const folder = await mkdtemp(join(tmpdir(), 'storage-routing-images-'));
try {
  // Others than its owner run what is in it.
  await chmod(folder, 0o755);
  await check(progress, folder);
} catch (error) {
  progress.say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
