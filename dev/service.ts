import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { Environment } from './parts/part.ts';
import { takeFreePort } from './system/ports.ts';
import { isHttpUp } from './system/probes.ts';
import type { ProcessHandle, Processes, ProcessSpec } from './system/processes.ts';

export interface ServiceOptions {
  /** Added to the stack's variables. */
  environment?: Environment;
  /** The first API process's port; a free one by default. */
  port?: number;
  apiCount?: number;
  /** None for tests of the API alone. */
  workerCount?: number;
  /** The workers start after this promise: unlike the API, they need running servers. */
  workersAfter?: Promise<unknown>;
  /** Files to run, from the repository's root. */
  entries?: { api: string; worker: string };
}

export interface ServiceProcess extends ProcessHandle {
  /** The API's address; of a worker, the address of its metrics. */
  url: string;
  /** Where `/metrics` is. */
  metricsUrl: string;
  /** Its log so far. */
  readLog(): Promise<string>;
}

/** The API and the workers as separate processes that tests can kill and restart. */
export interface Service {
  /** Of the first API process. */
  baseUrl: string;
  apis: readonly ServiceProcess[];
  /** Empty until `workersAfter` resolves. */
  workers: readonly ServiceProcess[];
  /** Resolves when all processes serve. */
  ready: Promise<void>;
  addApi(environment?: Environment): Promise<ServiceProcess>;
  addWorker(environment?: Environment): Promise<ServiceProcess>;
  stop(): Promise<void>;
}

/** The servers that the service uses: a stack, or an equivalent object. */
export interface ServiceServers {
  environment: Environment;
  processes: Processes;
}

const ROOT = join(import.meta.dirname, '..');
/** The sources, or the build output in the folder `RUN_BUILT`. */
const BUILT = process.env['RUN_BUILT'];
export const ENTRIES =
  BUILT === undefined
    ? { api: 'api/main.ts', worker: 'worker/main.ts' }
    : { api: `${BUILT}/api/main.js`, worker: `${BUILT}/worker/main.js` };
const READY_WITHIN_MS = 60_000;
const DRAIN_API_MS = 12_000;
const DRAIN_WORKER_MS = 25_000;

/** Starts the API and a worker, and waits until they serve. */
export async function startService(
  servers: ServiceServers,
  options: ServiceOptions = {},
): Promise<Service> {
  const service = await openService(servers, options);
  try {
    await service.ready;
    return service;
  } catch (error) {
    await service.stop();
    throw error;
  }
}

/** Returns while the processes are starting. */
export async function openService(
  servers: ServiceServers,
  options: ServiceOptions = {},
): Promise<Service> {
  const apis: ServiceProcess[] = [];
  const workers: ServiceProcess[] = [];
  const entries = options.entries ?? ENTRIES;
  const common = {
    ...ownEnvironment(servers.environment),
    ...servers.environment,
    ...options.environment,
  };

  const spawnApi = async (environment: Environment = {}, port?: number) => {
    const [apiPort, metricsPort] = await Promise.all([port ?? takeFreePort(), takeFreePort()]);
    const url = `http://127.0.0.1:${apiPort}`;
    const ports = { HOST: '127.0.0.1', PORT: String(apiPort), METRICS_PORT: String(metricsPort) };
    const spec = toSpec(
      'api',
      entries.api,
      { ...common, ...ports, ...environment },
      `${url}/ready`,
    );
    const handle = servers.processes.spawn({ ...spec, stopWithinMs: DRAIN_API_MS });
    apis.push(toProcess(handle, url, `http://127.0.0.1:${metricsPort}`));
  };
  const spawnWorker = async (environment: Environment = {}) => {
    const metricsPort = await takeFreePort();
    const url = `http://127.0.0.1:${metricsPort}`;
    const variables = { ...common, METRICS_PORT: String(metricsPort), ...environment };
    const spec = toSpec('worker', entries.worker, variables, `${url}/metrics`);
    const handle = servers.processes.spawn({ ...spec, stopWithinMs: DRAIN_WORKER_MS });
    workers.push(toProcess(handle, url, url));
  };
  const added = async (list: ServiceProcess[], spawn: Promise<void>) => {
    await spawn;
    const newest = list.at(-1);
    if (newest === undefined) throw new Error('nothing was started');
    await newest.ready;
    return newest;
  };

  const firstPort = options.port ?? (await takeFreePort());
  await spawnApi({}, firstPort);
  for (let count = 1; count < (options.apiCount ?? 1); count += 1) await spawnApi();
  const workersStarted = startWorkers(options, spawnWorker);
  const ready = workersStarted
    .then(async () => await Promise.all([...apis, ...workers].map((each) => each.ready)))
    .then(() => {});
  ready.catch(() => {});

  return {
    baseUrl: `http://127.0.0.1:${firstPort}`,
    apis,
    workers,
    ready,
    addApi: async (environment) => await added(apis, spawnApi(environment)),
    addWorker: async (environment) => await added(workers, spawnWorker(environment)),
    async stop() {
      await workersStarted.catch(() => {});
      await Promise.all([...apis, ...workers].map((each) => each.stop()));
    },
  };
}

async function startWorkers(
  options: ServiceOptions,
  spawnWorker: () => Promise<void>,
): Promise<void> {
  await options.workersAfter;
  for (let count = 0; count < (options.workerCount ?? 1); count += 1) await spawnWorker();
}

/** Node's arguments to run a file: a TypeScript loader for sources, none for the build output. */
export function loaderArguments(entry: string): string[] {
  return entry.endsWith('.ts') ? ['--import', 'tsx'] : [];
}

function toSpec(
  name: string,
  entry: string,
  environment: Environment,
  readyUrl: string,
): ProcessSpec {
  return {
    name,
    command: process.execPath,
    args: [...loaderArguments(entry), join(ROOT, entry)],
    folder: ROOT,
    environment,
    isReady: async () => await isHttpUp(readyUrl),
    readyWithinMs: READY_WITHIN_MS,
  };
}

/** Keeps the handle's getters: a restart changes their values. */
function toProcess(handle: ProcessHandle, url: string, metricsUrl: string): ServiceProcess {
  const extra = { url, metricsUrl, readLog: async () => await readFile(handle.logFile, 'utf8') };
  return Object.create(handle, Object.getOwnPropertyDescriptors(extra)) as ServiceProcess;
}

/** This process's environment, without its AWS identity if the stack provides one. */
function ownEnvironment(stack: Environment): Record<string, string> {
  const bringsIdentity = stack['AWS_ACCESS_KEY_ID'] !== undefined;
  const pairs = Object.entries(process.env).flatMap(([name, value]) => {
    const isForeign = bringsIdentity && name.startsWith('AWS_');
    return value === undefined || isForeign || name.startsWith('npm_')
      ? []
      : [[name, value] as const];
  });
  return Object.fromEntries(pairs);
}
