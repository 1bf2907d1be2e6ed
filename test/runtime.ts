import { DefaultLogger, Runtime } from '@temporalio/worker';

let installed = false;

/** Temporal's runtime of the test process, once: it speaks up only where something is wrong. */
export function quietRuntime(): void {
  if (installed) return;
  installed = true;
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
  });
}
