import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { DefaultLogger, Runtime, type LogEntry } from '@temporalio/worker';
import type { Logger } from '../adapters/telemetry/logger.ts';
import type { OperatorAnswer } from '../adapters/telemetry/operator-server.ts';

const LEVELS = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const;

/**
 * Sets up Temporal's runtime of this process: its log goes into ours. Its metrics are served by native
 * code on a port of this machine alone; the function that is returned reads them there.
 */
export async function installRuntime(log: Logger): Promise<() => Promise<OperatorAnswer>> {
  const bindAddress = `127.0.0.1:${await takeFreePort()}`;
  const logger = new DefaultLogger('INFO', ({ level, message, meta }: LogEntry) => {
    const { error, ...rest } = meta ?? {};
    // The logger shows an error's message and stack under this name only.
    log[LEVELS[level]](error === undefined ? rest : { ...rest, err: error as unknown }, message);
  });
  Runtime.install({
    logger,
    telemetryOptions: {
      logging: { forward: {}, filter: { core: 'WARN', other: 'WARN' } },
      metrics: { prometheus: { bindAddress } },
    },
  });
  return async () => {
    const response = await fetch(`http://${bindAddress}/metrics`);
    return {
      status: response.status,
      contentType: response.headers.get('content-type') ?? 'text/plain',
      body: await response.text(),
    };
  };
}

async function takeFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
