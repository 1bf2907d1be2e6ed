import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import { runLogged } from './system/commands.ts';
import { parseAllowedEntries, parseDockerfile, type Stage } from './dockerfile.ts';
import { takeFreePort } from './system/ports.ts';
import { isHttpUp } from './system/probes.ts';
import { createProgress, type Progress } from './system/progress.ts';
import { startStack, type Stack } from './stack.ts';

const ROOT = join(import.meta.dirname, '..');
const RUN_TIMEOUT_MS = 5 * 60_000;
const READY_TIMEOUT_MS = 60_000;
/** The working directory of every stage. */
const WORKDIR = '/app';

interface BuildContext {
  readonly stages: readonly Stage[];
  /** The entries of the repository that `.dockerignore` admits. */
  readonly entries: readonly string[];
  /** Holds one folder per stage. */
  readonly folder: string;
  readonly built: Map<string, Promise<string>>;
}

/**
 * `npm run image:check`: runs the Dockerfile's COPY and RUN instructions in a temporary folder,
 * without a container engine, and starts the resulting API and worker.
 */
async function checkImages(progress: Progress, folder: string): Promise<void> {
  const context: BuildContext = {
    stages: parseDockerfile(await readFile(join(ROOT, 'Dockerfile'), 'utf8')),
    entries: parseAllowedEntries(await readFile(join(ROOT, '.dockerignore'), 'utf8')),
    folder,
    built: new Map(),
  };
  const done = progress.begin('the instructions of the Dockerfile');
  const [api, worker] = await Promise.all([
    buildStage(context, 'api'),
    buildStage(context, 'worker'),
  ]);
  done('done');
  const stack = await startStack({ progress });
  try {
    await startImage(context, stack, 'api', api, '/ready');
    progress.say('api: GET /ready answers 200');
    await startImage(context, stack, 'worker', worker, '/metrics');
    progress.say('worker: GET /metrics answers 200');
  } finally {
    await stack.stop();
  }
}

/** The folder that holds the stage's working directory. Stages that several need are built once. */
function buildStage(context: BuildContext, name: string): Promise<string> {
  const built = context.built.get(name) ?? runInstructions(context, findStage(context, name));
  context.built.set(name, built);
  return built;
}

function findStage(context: BuildContext, name: string): Stage {
  const stage = context.stages.find((each) => each.name === name);
  if (stage === undefined) throw new Error(`the Dockerfile has no stage ${name}`);
  return stage;
}

async function runInstructions(context: BuildContext, stage: Stage): Promise<string> {
  const target = join(context.folder, stage.name);
  await mkdir(target, { recursive: true });
  if (context.stages.some(({ name }) => name === stage.from)) {
    await copy(await buildStage(context, stage.from), target);
  }
  for (const { name, value } of stage.instructions) {
    if (name === 'COPY') await copyFiles(context, target, value.split(/\s+/));
    if (name === 'RUN') {
      await runLogged('sh', ['-c', value], {
        folder: target,
        environment: withoutNpmVariables(),
        logFile: join(context.folder, `${stage.name}.log`),
        timeoutMs: RUN_TIMEOUT_MS,
      });
    }
  }
  return target;
}

async function copyFiles(
  context: BuildContext,
  target: string,
  words: readonly string[],
): Promise<void> {
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
  const paths = words.filter((word) => !word.startsWith('--'));
  const into = join(target, paths.at(-1) ?? '.');
  for (const path of paths.slice(0, -1)) {
    if (from !== undefined) {
      const source = join(await buildStage(context, from), path.slice(WORKDIR.length));
      await copy(source, path.endsWith('.json') ? join(into, basename(path)) : into);
    } else if (path === '.') {
      for (const entry of context.entries) await copy(join(ROOT, entry), join(into, entry));
    } else {
      const isAllowed = context.entries.includes(path.split('/')[0] ?? '');
      if (!isAllowed) throw new Error(`${path} is not in the build context`);
      await copy(join(ROOT, path), join(into, basename(path)));
    }
  }
}

async function copy(source: string, target: string): Promise<void> {
  await cp(source, target, { recursive: true, verbatimSymlinks: true });
}

/** The variables of an outer `npm run` would name another project to the inner npm. */
function withoutNpmVariables(): NodeJS.ProcessEnv {
  const names = Object.keys(process.env).filter((name) => name.startsWith('npm_'));
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

/** Runs the stage's CMD and waits until it serves. */
async function startImage(
  context: BuildContext,
  stack: Stack,
  stage: string,
  folder: string,
  readyPath: string,
): Promise<void> {
  const command = findStage(context, stage).instructions.find(({ name }) => name === 'CMD');
  const [program = '', ...args] = JSON.parse(command?.value ?? '[]') as string[];
  const [port, metricsPort] = await Promise.all([takeFreePort(), takeFreePort()]);
  const readyPort = readyPath === '/metrics' ? metricsPort : port;
  await stack.processes.start({
    name: `image-${stage}`,
    command: program,
    args,
    folder,
    environment: {
      ...stack.environment,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
    },
    isReady: () => isHttpUp(`http://127.0.0.1:${readyPort}${readyPath}`),
    readyWithinMs: READY_TIMEOUT_MS,
  });
}

const progress = createProgress();
const folder = await mkdtemp(join(tmpdir(), 'storage-routing-images-'));
try {
  await checkImages(progress, folder);
} catch (error) {
  progress.say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
