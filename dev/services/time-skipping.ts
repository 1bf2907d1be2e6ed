import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CacheEntry } from '../system/cache.ts';
import { requireOnPath } from '../system/commands.ts';
import { VERSIONS } from '../system/versions.ts';
import {
  nativeFromCache,
  fetchJavaLibraries,
  installed,
  fromDownload,
  platformNames,
} from './program-resolvers.ts';
import { findProgram, type Service, type ResolverContext } from './service.ts';

const PROGRAM = 'temporal-test-server';

/** Temporal's time-skipping test server. For tests only. */
export const timeSkipping: Service = {
  name: PROGRAM,
  version: VERSIONS.temporalTestServer,
  addresses: [],
  resolvers(resolverContext) {
    const { os, cpu } = platformNames();
    const version = VERSIONS.temporalTestServer;
    const entry: CacheEntry = { name: PROGRAM, version: `${version}-${os}-${cpu}` };
    const target = { ...entry, program: PROGRAM, versionArgs: ['--help'] };
    const archive = `${PROGRAM}_${version}_${os === 'darwin' ? 'macOS' : os}_${cpu}.tar.gz`;
    const url = `https://github.com/temporalio/sdk-java/releases/download/v${version}/${archive}`;
    return [
      nativeFromCache(resolverContext, target),
      fromDownload(resolverContext, target, { url, packed: true }),
      installed(
        resolverContext,
        { ...target, versionArgs: ['--is-it-there'] },
        'temporal-test-server by mvn',
        build,
      ),
    ];
  },
};

/** The path that `TestWorkflowEnvironment.createTimeSkipping` takes as `existing-path`. */
export async function findTimeSkippingServer(resolverContext: ResolverContext): Promise<string> {
  return (await findProgram(timeSkipping, resolverContext)).command;
}

async function build(folder: string, logFile: string): Promise<void> {
  await requireOnPath('java');
  await fetchJavaLibraries(
    [`io.temporal:temporal-test-server:${VERSIONS.temporalTestServer}`],
    folder,
    logFile,
  );
  // Relative to the script: the folder is renamed after the build.
  const script = `#!/bin/sh
lib="$(cd "$(dirname "$0")" && pwd)/lib"
if [ "$1" = --is-it-there ]; then ls "$lib"/temporal-test-server-*.jar; exit; fi
exec java -XX:+UseSerialGC -Xmx512m -cp "$lib/*" io.temporal.testserver.TestServer "$@"
`;
  await writeFile(join(folder, PROGRAM), script, { mode: 0o755 });
}
