import { ConfigError } from '../config/environment.ts';
import { growHeapSlowly } from '../config/heap.ts';
import { waitForHandshakes } from '../config/network.ts';
import type { SharedConfig } from '../config/shared.ts';
import { createLogger, type Logger } from '../adapters/telemetry/logger.ts';
import type { OpenTracing } from '../adapters/telemetry/open-tracing.ts';
import { createRequestScope, type RequestScope } from '../adapters/telemetry/request-scope.ts';

/** What every process reads from its environment first. */
type ProcessConfig = Pick<SharedConfig, 'logLevel'> & { readonly traces?: boolean };

/** A process with its configuration, its log and, where they are configured, its traces. */
export interface RunningProcess<Config extends ProcessConfig> {
  readonly config: Config;
  readonly requests: RequestScope;
  readonly log: Logger;
  readonly tracing: OpenTracing | undefined;
}

/** Runs a process; ends it with status 1 and a message if it cannot start. */
export async function runProcess<Config extends ProcessConfig>(
  name: 'api' | 'worker' | 'codec' | 'reseal',
  readConfig: (env: NodeJS.ProcessEnv) => Config,
  run: (running: RunningProcess<Config>) => Promise<void>,
): Promise<void> {
  try {
    growHeapSlowly();
    waitForHandshakes();
    const config = readConfig(process.env);
    const requests = createRequestScope();
    const tracing = config.traces
      ? (await import('../adapters/telemetry/open-tracing.ts')).openTracing(
          name === 'api' ? 'api' : 'worker',
        )
      : undefined;
    const log = createLogger(name, config.logLevel, requests, tracing);
    tracing?.reportTo(log);
    await run({ config, requests, log, tracing });
  } catch (error) {
    process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

/** Stops a process that serves calls at the first signal. */
export function stopOnSignal(log: Logger, stop: () => Promise<void>): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      log.info({ signal }, 'stopping');
      void stop().then(() => process.exit(0));
    });
}
