import { nativeEntry } from '../system/cache.ts';
import type { ProcessSpec } from '../system/processes.ts';
import { isHttpUp } from '../system/probes.ts';
import { VERSIONS } from '../system/versions.ts';
import {
  nativeFromCache,
  fromDownload,
  fromGo,
  fromPath,
  platformNames,
} from './program-resolvers.ts';
import type { Program, Service } from './service.ts';

/** A proxy that delays, cuts and refuses connections on demand. For tests only. */
export const toxiproxy: Service = {
  name: 'toxiproxy',
  version: VERSIONS.toxiproxy,
  addresses: [],
  resolvers(resolverContext) {
    const target = {
      ...nativeEntry('toxiproxy', VERSIONS.toxiproxy),
      program: 'toxiproxy-server',
      versionArgs: ['-version'],
    };
    const { os, cpu } = platformNames();
    const tag = `v${VERSIONS.toxiproxy}`;
    const url = `https://github.com/Shopify/toxiproxy/releases/download/${tag}/toxiproxy-server-${os}-${cpu}`;
    const module = `github.com/Shopify/toxiproxy/v2/cmd/server@${tag}`;
    return [
      fromPath('toxiproxy-server', async () => {}),
      nativeFromCache(resolverContext, target),
      fromDownload(resolverContext, target, { url, packed: false }),
      fromGo(resolverContext, target, module),
    ];
  },
};

/** Proxies are configured through its HTTP interface at `port`. */
export function toxiproxyProcess(program: Program, port: number): ProcessSpec {
  return {
    name: 'toxiproxy',
    command: program.command,
    args: [...program.args, '-host', '127.0.0.1', '-port', String(port)],
    isReady: () => isHttpUp(`http://127.0.0.1:${port}/version`),
    readyWithinMs: 10_000,
  };
}
