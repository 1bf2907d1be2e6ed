import { DefaultLogger, Runtime } from '@temporalio/worker';

let installed = false;

/**
 * Installs Temporal's runtime for the test process, with error logs only. Idempotent. Called only by a test
 * that then opens a worker or a connection: the runtime keeps the process alive until the last of them has
 * closed.
 */
export function installQuietRuntime(): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
  });
}
