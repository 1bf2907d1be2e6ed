import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { createProgress } from '../dev/system/progress.ts';
import { startService, type Service, type ServiceOptions } from '../dev/service.ts';
import { findTimeSkippingServer } from '../dev/services/time-skipping.ts';
import { startStack, type Stack, type StackOptions } from '../dev/stack.ts';
import { showServerErrors } from './server-errors.ts';

/** What `npm test` passes to a test process in `TEST_SERVERS`, as JSON. */
export interface SharedServers {
  /** The addresses of the servers that run already. */
  readonly environment: Readonly<Record<string, string>>;
  /** The Temporal namespaces that the process may use. */
  readonly namespaces: readonly string[];
}

const SHARED = parseShared(process.env['TEST_SERVERS']);

/** The servers that the test files of one process share. */
export interface LocalServers {
  /** With a database and a Temporal namespace of this process. */
  readonly stack: Stack;
  readonly mongodbUri: string;
  /** The program of Temporal's test server, which skips time. */
  timeSkippingServer(): Promise<string>;
}

/** A service with a database and a Temporal namespace of its own. */
export interface IsolatedService {
  readonly stack: Stack;
  readonly service: Service;
}

let servers: Promise<{ readonly shared: Stack; readonly local: LocalServers }> | undefined;
let service: Promise<IsolatedService> | undefined;
let migrationService: Promise<IsolatedService> | undefined;

/** Names for Temporal namespaces. */
export function namespaces(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);
}

/**
 * The shared servers. `npm test` passes the addresses of those that it started; a single mocha
 * process starts its own on first use.
 */
export async function localServers(): Promise<LocalServers> {
  return (await openServers()).local;
}

/** One API and one worker with the `growth` plan, shared by the test files of this process. */
export async function localService(): Promise<Service> {
  service ??= localServers().then(async ({ stack }) => ({
    stack,
    service: await startServiceOn(stack, { environment: { DEFAULT_PLAN: 'growth' } }),
  }));
  return (await service).service;
}

/** A service whose source and target stores are both the AWS double. */
export function localMigrationService(): Promise<IsolatedService> {
  migrationService ??= startMigrationService();
  return migrationService;
}

/** Like `localMigrationService`, for a test file that configures or kills it; the file stops it. */
export async function startMigrationService(
  options: ServiceOptions = {},
): Promise<IsolatedService> {
  const { cloud } = (await localServers()).stack;
  return await startIsolatedService({
    ...options,
    environment: {
      DEFAULT_PLAN: 'enterprise',
      PROVIDER_ENDPOINT_B2: cloud?.s3Endpoint ?? '',
      ...options.environment,
    },
  });
}

/** The shared servers with a namespace in which no worker of a service polls, for files with their own. */
export async function isolatedServers(): Promise<Stack> {
  return isolate((await openServers()).shared);
}

/** Starts a service on the shared servers, for a test file that configures it; the file stops it. */
export async function startIsolatedService(options: ServiceOptions): Promise<IsolatedService> {
  const stack = await isolatedServers();
  return { stack, service: await startServiceOn(stack, options) };
}

/**
 * Starts a service whose `stop` kills its processes: how they drain is tested where it is watched. What is written at the
 * end of a process, as its coverage is, is waited for.
 */
export async function startServiceOn(stack: Stack, options: ServiceOptions): Promise<Service> {
  const service = await startService(stack, options);
  if (process.env['NODE_V8_COVERAGE'] !== undefined) return service;
  const processes = () => [...service.apis, ...service.workers];
  const stop = async () => void (await Promise.all(processes().map((each) => each.kill())));
  return { ...service, stop };
}

/** Starts servers for a test file that kills, pauses or configures them; the file stops them. */
export async function startOwnStack(
  options: Pick<StackOptions, 'persistent' | 'eventsPerRun'> = {},
): Promise<Stack> {
  return await startStack({ given: {}, progress: createProgress(), ...options });
}

export async function stopLocalServers(): Promise<void> {
  const running = await Promise.all([service, migrationService]);
  for (const each of running) await showServerErrors(each?.service.apis ?? []);
  await Promise.all(running.map(async (each) => await each?.service.stop()));
  await (await servers)?.shared.stop();
}

function openServers(): NonNullable<typeof servers> {
  servers ??= startStack({
    given: SHARED.environment,
    namespaces: SHARED.namespaces,
    progress: createProgress(),
  }).then((shared) => {
    const stack = isolate(shared);
    return {
      shared,
      local: {
        stack,
        mongodbUri: stack.environment['MONGODB_URI'] ?? '',
        timeSkippingServer: () => findTimeSkippingServer(stack.resolverContext),
      },
    };
  });
  return servers;
}

let usedNamespaces = 0;

/** The same servers with a database and a Temporal namespace that nothing has used. */
function isolate(stack: Stack): Stack {
  const namespace = SHARED.namespaces[usedNamespaces];
  if (namespace === undefined)
    throw new Error(`no Temporal namespace is left of ${usedNamespaces}`);
  usedNamespaces += 1;
  return {
    ...stack,
    environment: {
      ...stack.environment,
      MONGODB_DATABASE: `test_${randomUUID().slice(0, 8)}`,
      TEMPORAL_NAMESPACE: namespace,
    },
  };
}

function parseShared(json: string | undefined): SharedServers {
  if (json !== undefined) return JSON.parse(json) as SharedServers;
  return { environment: {}, namespaces: namespaces('test', 16) };
}
