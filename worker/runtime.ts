import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import {
  DefaultLogger,
  NativeConnection,
  Runtime,
  type LogEntry,
  type NativeConnectionOptions,
} from '@temporalio/worker';
import type { Logger } from '../adapters/telemetry/logger.ts';
import type { OperatorAnswer } from '../adapters/telemetry/operator-server.ts';

const LEVELS = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const;

export type TemporalRuntime = ReturnType<typeof createTemporalRuntime>;

/** Temporal's runtime of this process, which logs by our logger. */
export function createTemporalRuntime(log: Logger) {
  let metricsUrl: string | undefined;
  return {
    /** @throws TransportError if Temporal does not answer; the next call tries again */
    async connect(options: NativeConnectionOptions): Promise<NativeConnection> {
      // A connect that fails shuts the runtime down, so each one installs its own.
      const address = `127.0.0.1:${await takeFreePort()}`;
      install(log, address);
      const connection = await NativeConnection.connect(options);
      metricsUrl = `http://${address}/metrics`;
      return connection;
    },
    /** Temporal's metrics and ours; empty until the process is connected. */
    async readMetrics(): Promise<OperatorAnswer> {
      if (metricsUrl === undefined) return { status: 200, contentType: 'text/plain', body: '' };
      const response = await fetch(metricsUrl);
      return {
        status: response.status,
        contentType: response.headers.get('content-type') ?? 'text/plain',
        body: await response.text(),
      };
    },
  };
}

/** @param metricsAddress where native code serves the metrics; an address of this machine alone */
function install(log: Logger, metricsAddress: string): void {
  const logger = new DefaultLogger('INFO', ({ level, message, meta }: LogEntry) => {
    const { error, ...fields } = meta ?? {};
    // The logger shows an error's message and stack under this name only.
    log[LEVELS[level]](
      error === undefined ? fields : { ...fields, err: error as unknown },
      message,
    );
  });
  Runtime.install({
    logger,
    telemetryOptions: {
      logging: { forward: {}, filter: { core: 'WARN', other: 'WARN' } },
      metrics: { prometheus: { bindAddress: metricsAddress } },
    },
  });
}

async function takeFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
