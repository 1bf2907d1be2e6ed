import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nativeEntry } from '../system/cache.ts';
import { requireOnPath, runLogged } from '../system/commands.ts';
import { VERSIONS } from '../system/versions.ts';
import { fromPath, installed, nativeFromCache } from './program-resolvers.ts';
import type { Service } from './service.ts';

const INSTALL_WITHIN_MS = 5 * 60_000;

/** A program in Python, installed by its name. */
interface PythonTool {
  readonly name: string;
  readonly version: string;
  /** The statements that run it. */
  readonly main: string;
}

/** A fuzzer that makes its calls from an OpenAPI document. For tests only. */
export const schemathesis = pythonTool({
  name: 'schemathesis',
  version: VERSIONS.schemathesis,
  main: 'from schemathesis.cli import schemathesis; schemathesis()',
});

/** Validates Kubernetes manifests against the schemas that it contains. For tests only. */
export const kubernetesValidate = pythonTool({
  name: 'kubernetes-validate',
  version: VERSIONS.kubernetesValidate,
  main: 'import sys; from kubernetes_validate.__main__ import main; sys.exit(main())',
});

function pythonTool(tool: PythonTool): Service {
  const { name, version } = tool;
  return {
    name,
    version,
    addresses: [],
    resolvers(resolverContext) {
      const target = {
        ...nativeEntry(name, version),
        program: name,
        versionArgs: ['--version'],
      };
      return [
        fromPath(name, async () => {}),
        nativeFromCache(resolverContext, target),
        installed(resolverContext, target, `pip install ${name}`, (folder, logFile) =>
          install(tool, folder, logFile),
        ),
      ];
    },
  };
}

async function install(tool: PythonTool, folder: string, logFile: string): Promise<void> {
  await requireOnPath('python3');
  const wanted = `${tool.name}==${tool.version}`;
  const args = ['-m', 'pip', 'install', '--quiet', '--target', join(folder, 'lib'), wanted];
  await runLogged('python3', args, { logFile, timeoutMs: INSTALL_WITHIN_MS });
  // Relative to the script: the folder is renamed after the installation.
  const script = `#!/bin/sh
PYTHONPATH="$(cd "$(dirname "$0")" && pwd)/lib" exec python3 -c '${tool.main}' "$@"
`;
  await writeFile(join(folder, tool.name), script, { mode: 0o755 });
}
