import { DefaultLogger, Runtime } from '@temporalio/worker';

let installed = false;

/** Installs Temporal's runtime for the test process, with error logs only. Idempotent. */
export function installQuietRuntime(): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
  });
}
