import assert from 'node:assert/strict';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { findProgram } from '../../dev/services/service.ts';
import { services } from '../../dev/services/services.ts';
import { startService } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { takeFreePort } from '../../dev/system/ports.ts';
import { isHttpUp } from '../../dev/system/probes.ts';
import type { ProcessHandle } from '../../dev/system/processes.ts';
import { TASK_QUEUES } from '../../messages/names.ts';
import { readCompose, readText, ROOT } from '../unit/deployment/compose.ts';
import { parseDockerfile } from '../unit/deployment/dockerfile.ts';
import { eventually } from './customer.ts';

/** The addresses of the compose file that a trial gives to its processes. */
const ADDRESSES = [
  's3.localhost:7071',
  's3.localhost:7073',
  's3.localhost:7074',
  's3.localhost:7075',
  'store.localhost:7070',
  'b2.localhost:7072',
];
const compose = readCompose();

/** A variable of the compose file, with this machine's addresses and folders. */
type Replace = (value: string) => string;

/** @returns what the container prints next for a shell, by variable */
type ReadExports = () => Promise<Readonly<Record<string, string>>>;

export type Trial = Awaited<ReturnType<typeof startTrial>>;

/**
 * The containers of `docker compose --profile trial up` as plain processes: the commands and variables of
 * the compose file, on servers of this machine.
 *
 * @param folder for the volumes
 */
export async function startTrial(stack: Stack, folder: string) {
  const state = join(folder, 'state');
  await mkdir(state);
  // As the volume of the image: the containers run as another user.
  await chmod(state, 0o1777);
  const apiPort = await takeFreePort();
  const replace = await createReplace(stack, state, apiPort);
  const variables = (name: string) => variablesOf(name, replace);
  const stores = [
    await startStore(stack, 'store', variables('trial')['PROVIDER_ENDPOINT_R2'], folder),
    await startStore(stack, 'trial-store-b2', variables('trial')['PROVIDER_ENDPOINT_B2'], folder),
  ];
  const container = await startContainer(stack, variables('trial'));
  const settingsOf = (name: string) => ({
    ...variables(name),
    TEMPORAL_NAMESPACE: stack.environment['TEMPORAL_NAMESPACE'] ?? '',
  });
  const service = await startService(
    { environment: settingsOf('trial-api'), processes: stack.processes },
    { port: apiPort, workerCount: 0 },
  );
  for (const queue of TASK_QUEUES) await service.addWorker(settingsOf(`trial-worker-${queue}`));
  return {
    service,
    container,
    exports: createExportsReader(container),
    async stop() {
      await service.stop();
      await Promise.all([container, ...stores].map((handle) => handle.stop()));
    },
  };
}

async function createReplace(stack: Stack, state: string, apiPort: number): Promise<Replace> {
  const identity = `127.0.0.1:${await takeFreePort()}`;
  const here = new Map([
    // As a browser and as the API reach it.
    ['localhost:7090', identity],
    ['trial:7090', identity],
    ['mongodb://mongodb:27017', stack.environment['MONGODB_URI'] ?? ''],
    ['temporal:7233', stack.environment['TEMPORAL_ADDRESS'] ?? ''],
    ['trial-api:8080', `127.0.0.1:${apiPort}`],
    ['localhost:8080', `127.0.0.1:${apiPort}`],
    ['/app/state', state],
    ['/run/trial', state],
  ]);
  for (const address of ADDRESSES) here.set(address, `127.0.0.1:${await takeFreePort()}`);
  return (value) =>
    [...here].reduce((text, [theirs, ours]) => text.replaceAll(theirs, ours), value);
}

/** With the default of each variable that the compose file takes from outside. */
function variablesOf(name: string, replace: Replace): Record<string, string> {
  const { environment = {} } = compose.services[name] ?? assert.fail(name);
  return Object.fromEntries(
    Object.entries(environment).map(([variable, value]) => [
      variable,
      replace((value ?? '').replace(/^\$\{\w+:-(.*)\}$/, '$1')),
    ]),
  );
}

async function startStore(
  { processes, resolverContext }: Stack,
  name: string,
  url = '',
  folder: string,
): Promise<ProcessHandle> {
  const program = await findProgram(services.versitygw, resolverContext);
  const data = join(folder, name);
  await mkdir(data);
  const words = (compose.services[name]?.command ?? []).map((word) =>
    word === '/data' ? data : word.replace(/^:\d+$/, `127.0.0.1:${new URL(url).port}`),
  );
  return await processes.start({
    name,
    command: program.command,
    args: [...program.args, ...words],
    environment: variablesOf(name, (value) => value),
    isReady: () => isHttpUp(`${url}/health`),
    readyWithinMs: 30_000,
  });
}

/** The command of the image. */
async function startContainer(
  { processes }: Stack,
  environment: Record<string, string>,
): Promise<ProcessHandle> {
  const stage = parseDockerfile(readText('Dockerfile')).find(({ name }) => name === 'trial');
  const command = stage?.instructions.findLast(({ name }) => name === 'CMD')?.value ?? '[]';
  const [, ...args] = JSON.parse(command) as string[];
  return await processes.start({
    name: 'trial',
    command: process.execPath,
    args,
    folder: ROOT,
    environment: { ...environment, PATH: process.env['PATH'] ?? '' },
    isReady: () => isHttpUp(`${environment['JWT_ISSUER']}/.well-known/openid-configuration`),
    readyWithinMs: 60_000,
  });
}

/** Each call waits for the block after the one before. */
function createExportsReader({ logFile }: ProcessHandle): ReadExports {
  let seen = 0;
  return async () => {
    let log = '';
    const isPrinted = async () => {
      log = (await readFile(logFile, 'utf8')).slice(seen);
      return log.includes('export SRS_BASE_URL');
    };
    await eventually('the trial prints what to do next', isPrinted).catch((cause: unknown) => {
      throw new Error(`the trial printed only: ${log}`, { cause });
    });
    seen += log.length;
    const lines = [...log.matchAll(/^export (\w+)='(.*)'$/gm)];
    return Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]));
  };
}
