import { nativeEntry } from '../cache.ts';
import { outputOf } from '../commands.ts';
import type { ProcessSpec } from '../processes.ts';
import { isTemporalUp } from '../probes.ts';
import { OLDEST_ON_PATH, VERSIONS } from '../versions.ts';
import {
  cachedNative,
  goInstall,
  officialDownload,
  onPath,
  platformNames,
  requireVersion,
} from './rungs.ts';
import type { Program, Service } from './service.ts';

const SEARCH_ATTRIBUTES = ['AccountId', 'Kind', 'Phase', 'Provider'];

/** Temporal's development server with its UI, one program. */
export const temporal: Service = {
  name: 'temporal',
  version: VERSIONS.temporal,
  addresses: ['TEMPORAL_ADDRESS'],
  rungs(workshop) {
    const target = {
      ...nativeEntry('temporal', VERSIONS.temporal),
      program: 'temporal',
      proof: ['--version'],
    };
    const { os, cpu } = platformNames();
    const url = `https://temporal.download/cli/archive/v${VERSIONS.temporal}?platform=${os}&arch=${cpu}`;
    const module = `github.com/temporalio/cli/cmd/temporal@v${VERSIONS.temporal}`;
    return [
      onPath('temporal', requireRecentServer),
      cachedNative(workshop, target),
      officialDownload(workshop, target, { url, packed: true }),
      goInstall(workshop, target, module),
    ];
  },
};

export interface TemporalOptions {
  port: number;
  uiPort: number;
  /** The database file; in memory if absent. */
  file?: string;
  /** Created beside `default`. */
  namespaces: readonly string[];
}

export function temporalProcess(program: Program, options: TemporalOptions): ProcessSpec {
  const attributes = SEARCH_ATTRIBUTES.flatMap((name) => ['--search-attribute', `${name}=Keyword`]);
  // With the usual four partitions some tasks of a nearly idle queue wait for two seconds.
  const partitions = ['Read', 'Write'].flatMap((side) => [
    '--dynamic-config-value',
    `matching.numTaskqueue${side}Partitions=1`,
  ]);
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
      ...options.namespaces.flatMap((name) => ['--namespace', name]),
      ...(options.file === undefined ? [] : ['--db-filename', options.file]),
    ],
    isReady: () => isTemporalUp('127.0.0.1', options.port),
    readyWithinMs: 60_000,
  };
}

async function requireRecentServer(path: string): Promise<void> {
  requireVersion(
    await outputOf(path, ['--version']),
    /Server (\d+)\.(\d+)/,
    OLDEST_ON_PATH.temporalServer,
  );
}
