import type { Readable, Writable } from 'node:stream';
import type { ClientOptions, StorageRoutingClient } from '@storage-routing/client';

/** A stream of the process as the command line uses it; it may be a terminal. */
export type Input = Readable & { readonly isTTY?: boolean | undefined };
export type Output = Writable & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/** All that a run of the program has of the world; a test brings its own. */
export interface CliContext {
  createClient: (options: ClientOptions) => StorageRoutingClient;
  stdin: Input;
  stdout: Output;
  stderr: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted with an `Interruption` when somebody asks the run to end. */
  signal: AbortSignal;
  /** Ends the run as the signal of that name would: a prompt takes Ctrl-C away from the terminal. */
  interrupt: () => void;
  /** Milliseconds since 1970. */
  now: () => number;
  homeFolder: string;
  /** Where files without a path of their own are written. */
  workingFolder: string;
  platform: NodeJS.Platform;
}

/** Why a run was asked to end. */
export class Interruption extends Error {
  readonly signalName: 'SIGINT' | 'SIGTERM';

  constructor(signalName: 'SIGINT' | 'SIGTERM') {
    super(signalName === 'SIGINT' ? 'interrupted' : 'asked to end');
    this.signalName = signalName;
  }
}
