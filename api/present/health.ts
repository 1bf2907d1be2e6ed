import type { Health } from '../../adapters/telemetry/health.ts';

const VERSION = '0.1';
const ARCHITECTURE = '2.0';

export function presentHealth({ status, dependencies }: Health) {
  return { status, version: VERSION, architecture: ARCHITECTURE, dependencies };
}
