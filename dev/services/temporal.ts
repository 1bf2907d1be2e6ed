import { nativeEntry } from '../system/cache.ts';
import { readOutput } from '../system/commands.ts';
import type { ProcessSpec } from '../system/processes.ts';
import { isTemporalUp } from '../system/probes.ts';
import { OLDEST_ON_PATH, VERSIONS } from '../system/versions.ts';
import {
  nativeFromCache,
  fromDownload,
  fromGo,
  fromPath,
  platformNames,
  requireVersion,
} from './program-resolvers.ts';
import type { Program, Service } from './service.ts';

const SEARCH_ATTRIBUTES = ['AccountId', 'Kind', 'Phase', 'Provider'];

/** Temporal's development server with its UI, one program. */
export const temporal: Service = {
  name: 'temporal',
  version: VERSIONS.temporal,
  addresses: ['TEMPORAL_ADDRESS'],
  resolvers(resolverContext) {
    const program = { program: 'temporal', versionArgs: ['--version'] };
    const { temporal: version, temporalSqlite: sqlite } = VERSIONS;
    const official = { ...nativeEntry('temporal', `${version}-official`), ...program };
    const built = { ...nativeEntry('temporal', `${version}-sqlite-${sqlite}`), ...program };
    const { os, cpu } = platformNames();
    const url = `https://temporal.download/cli/archive/v${version}?platform=${os}&arch=${cpu}`;
    const module = `github.com/temporalio/cli/cmd/temporal@v${version}`;
    return [
      fromPath('temporal', requireRecentServer),
      nativeFromCache(resolverContext, built),
      nativeFromCache(resolverContext, official),
      fromDownload(resolverContext, official, { url, packed: true }),
      fromGo(resolverContext, built, module, [`modernc.org/sqlite@v${sqlite}`]),
    ];
  },
};

export interface TemporalOptions {
  port: number;
  uiPort: number;
  /** The database file. */
  file: string;
  /** Created besides `default`. */
  namespaces: readonly string[];
  /** Events of a run from which the server suggests continue-as-new; 4,096 if absent. */
  eventsPerRun?: number;
}

export function temporalProcess(program: Program, options: TemporalOptions): ProcessSpec {
  const attributes = SEARCH_ATTRIBUTES.flatMap((name) => ['--search-attribute', `${name}=Keyword`]);
  // With the default of four partitions some tasks of a nearly idle queue wait for two seconds.
  const partitions = ['Read', 'Write'].flatMap((side) => [
    '--dynamic-config-value',
    `matching.numTaskqueue${side}Partitions=1`,
  ]);
  const runs =
    options.eventsPerRun === undefined
      ? []
      : [
          '--dynamic-config-value',
          `limit.historyCount.suggestContinueAsNew=${options.eventsPerRun}`,
        ];
  // Without it the server accepts fairness keys and dispatches first come, first served.
  const fairness = ['--dynamic-config-value', 'matching.enableFairness=true'];
  return {
    name: 'temporal',
    command: program.command,
    args: [
      ...program.args,
      'server',
      'start-dev',
      '--ip',
      '127.0.0.1',
      '--log-level',
      'warn',
      '--port',
      String(options.port),
      '--ui-port',
      String(options.uiPort),
      ...attributes,
      ...partitions,
      ...runs,
      ...fairness,
      ...options.namespaces.flatMap((name) => ['--namespace', name]),
      // A file survives a kill of the server. With a log ahead of it, it is as fast as memory.
      '--db-filename',
      options.file,
      '--sqlite-pragma',
      'synchronous=off',
      '--sqlite-pragma',
      'journal_mode=wal',
    ],
    isReady: () => isTemporalUp('127.0.0.1', options.port),
    readyWithinMs: 60_000,
  };
}

async function requireRecentServer(path: string): Promise<void> {
  requireVersion(
    await readOutput(path, ['--version']),
    /Server (\d+)\.(\d+)/,
    OLDEST_ON_PATH.temporalServer,
  );
}
