import { nativeEntry } from '../cache.ts';
import type { ProcessSpec } from '../processes.ts';
import { isHttpThere } from '../probes.ts';
import { VERSIONS } from '../versions.ts';
import { cachedNative, goInstall, onPath } from './rungs.ts';
import type { Program, Service } from './service.ts';

/** Stripe's own stand-in: checks every parameter, answers with samples, keeps nothing; tests only. */
export const stripeMock: Service = {
  name: 'stripe-mock',
  version: VERSIONS.stripeMock,
  addresses: [],
  rungs(workshop) {
    const target = {
      ...nativeEntry('stripe-mock', VERSIONS.stripeMock),
      program: 'stripe-mock',
      proof: ['-version'],
    };
    return [
      onPath('stripe-mock', async () => {}),
      cachedNative(workshop, target),
      goInstall(workshop, target, `github.com/stripe/stripe-mock@v${VERSIONS.stripeMock}`),
    ];
  },
};

/** Logs each request with its parameters. */
export function stripeMockProcess(program: Program, port: number): ProcessSpec {
  return {
    name: 'stripe-mock',
    command: program.command,
    // Without an address of its own it would take a fixed port for https, and fall over the next one.
    args: [...program.args, '-http-addr', `127.0.0.1:${port}`, '-https-addr', '127.0.0.1:'],
    isReady: () => isHttpThere(`http://127.0.0.1:${port}/`),
    readyWithinMs: 10_000,
  };
}
