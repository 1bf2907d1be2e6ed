import { nativeEntry } from '../system/cache.ts';
import type { ProcessSpec } from '../system/processes.ts';
import { isHttpAnswering } from '../system/probes.ts';
import { VERSIONS } from '../system/versions.ts';
import { nativeFromCache, fromGo, fromPath } from './program-resolvers.ts';
import type { Program, Service } from './service.ts';

/** Stripe's official mock: validates parameters, answers with samples, stores nothing. For tests only. */
export const stripeMock: Service = {
  name: 'stripe-mock',
  version: VERSIONS.stripeMock,
  addresses: [],
  resolvers(resolverContext) {
    const target = {
      ...nativeEntry('stripe-mock', VERSIONS.stripeMock),
      program: 'stripe-mock',
      versionArgs: ['-version'],
    };
    return [
      fromPath('stripe-mock', async () => {}),
      nativeFromCache(resolverContext, target),
      fromGo(resolverContext, target, `github.com/stripe/stripe-mock@v${VERSIONS.stripeMock}`),
    ];
  },
};

/** Logs each request with its parameters. */
export function stripeMockProcess(program: Program, port: number): ProcessSpec {
  return {
    name: 'stripe-mock',
    command: program.command,
    // Without an https address it would use a fixed port, and a second instance would fail.
    args: [...program.args, '-http-addr', `127.0.0.1:${port}`, '-https-addr', '127.0.0.1:'],
    isReady: () => isHttpAnswering(`http://127.0.0.1:${port}/`),
    readyWithinMs: 10_000,
  };
}
