import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { DefaultLogger, Runtime, type LogEntry } from '@temporalio/worker';
import type { Logger } from '../adapters/telemetry/logger.ts';

const LEVELS = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const;

/**
 * Sets up Temporal's runtime of this process: its log goes into ours, its metrics to `/metrics` on the
 * given port. Where the port is taken, the worker runs without metrics.
 */
export async function installRuntime(
  log: Logger,
  host: string,
  metricsPort: number,
): Promise<void> {
  const port = await probePort(host, metricsPort);
  if (port === undefined) log.warn({ port: metricsPort }, 'no metrics: the port cannot be used');
  const logger = new DefaultLogger('INFO', ({ level, message, meta }: LogEntry) => {
    log[LEVELS[level]]({ ...meta }, message);
  });
  Runtime.install({
    logger,
    telemetryOptions: {
      logging: { forward: {}, filter: { core: 'WARN', other: 'WARN' } },
      ...(port === undefined
        ? {}
        : { metrics: { prometheus: { bindAddress: `${host}:${port}` } } }),
    },
  });
}

/** The port where it is free; for port 0 any free port. */
async function probePort(host: string, wanted: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(wanted, host);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
