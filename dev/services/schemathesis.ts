import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nativeEntry } from '../system/cache.ts';
import { requireOnPath, runLogged } from '../system/commands.ts';
import { VERSIONS } from '../system/versions.ts';
import { fromPath, installed, nativeFromCache } from './program-resolvers.ts';
import type { Service } from './service.ts';

const PROGRAM = 'schemathesis';
const INSTALL_WITHIN_MS = 5 * 60_000;

/** A fuzzer that makes its calls from an OpenAPI document, in Python. For tests only. */
export const schemathesis: Service = {
  name: PROGRAM,
  version: VERSIONS.schemathesis,
  addresses: [],
  resolvers(resolverContext) {
    const target = {
      ...nativeEntry(PROGRAM, VERSIONS.schemathesis),
      program: PROGRAM,
      versionArgs: ['--version'],
    };
    return [
      fromPath(PROGRAM, async () => {}),
      nativeFromCache(resolverContext, target),
      installed(resolverContext, target, `pip install ${PROGRAM}`, install),
    ];
  },
};

async function install(folder: string, logFile: string): Promise<void> {
  await requireOnPath('python3');
  const wanted = `${PROGRAM}==${VERSIONS.schemathesis}`;
  const args = ['-m', 'pip', 'install', '--quiet', '--target', join(folder, 'lib'), wanted];
  await runLogged('python3', args, { logFile, timeoutMs: INSTALL_WITHIN_MS });
  // Relative to the script: the folder is renamed after the installation.
  const script = `#!/bin/sh
PYTHONPATH="$(cd "$(dirname "$0")" && pwd)/lib" exec python3 -c 'from schemathesis.cli import schemathesis; schemathesis()' "$@"
`;
  await writeFile(join(folder, PROGRAM), script, { mode: 0o755 });
}
