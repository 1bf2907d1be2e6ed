import { createProgress } from '../dev/progress.ts';
import { startService, type Service, type ServiceProcess } from '../dev/service.ts';
import { findTimeSkippingServer } from '../dev/services/time-skipping.ts';
import { startStack, type Stack } from '../dev/stack.ts';
import { bothInDouble } from './integration/migration/mover.ts';

/** The local servers that the tests of one run share. */
export interface LocalServers {
  readonly stack: Stack;
  readonly mongodbUri: string;
  /** The program of Temporal's test server, in which a month passes in milliseconds. */
  timeSkippingServer(): Promise<string>;
}

let servers: Promise<LocalServers> | undefined;
let service: Promise<Service> | undefined;

/** Starts the local servers the first time that a test asks for them. */
export function localServers(): Promise<LocalServers> {
  servers ??= startStack({ progress: createProgress() }).then((stack) => ({
    stack,
    mongodbUri: stack.environment['MONGODB_URI'] ?? '',
    timeSkippingServer: () => findTimeSkippingServer(stack.workshop),
  }));
  return servers;
}

/** The service on these servers, one API and one worker, as a customer of the `growth` plan meets it. */
export function localService(): Promise<Service> {
  service ??= localServers().then(({ stack }) =>
    startService(stack, { environment: { DEFAULT_PLAN: 'growth' } }),
  );
  return service;
}

let movers: Promise<MoverServers> | undefined;

/** Servers and a service of their own, in which a bucket can be moved from one region to another. */
export interface MoverServers {
  readonly stack: Stack;
  readonly service: Service;
}

/** Starts, the first time that a test asks for it, a service both of whose stores are the double. */
export function localMoverServers(): Promise<MoverServers> {
  movers ??= startStack({ progress: createProgress() }).then(async (stack) => ({
    stack,
    service: await startService(stack, {
      environment: { DEFAULT_PLAN: 'enterprise', ...bothInDouble(stack.cloud?.s3Endpoint ?? '') },
    }),
  }));
  return movers;
}

export async function stopLocalServers(): Promise<void> {
  const [running, moving] = [await service, await movers];
  for (const api of running?.apis ?? []) await showDefects(api);
  await Promise.all([running?.stop(), moving?.service.stop()]);
  await Promise.all([servers?.then(({ stack }) => stack.stop()), moving?.stack.stop()]);
}

/** A 500 is a defect wherever it happens; its cause is in the log, which ends with the run. */
async function showDefects(api: ServiceProcess): Promise<void> {
  const lines = (await api.readLog()).split('\n').filter((line) => line.includes('"status":500'));
  for (const line of lines) process.stderr.write(`${line}\n`);
}
