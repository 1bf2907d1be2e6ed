import type { Readable, Writable } from 'node:stream';
import type { ClientOptions, StorageRoutingClient } from '@storage-routing/client';
import type { Identity } from './tokens.ts';

/** An input stream of the process; it may be a terminal. */
export type Input = Readable & { readonly isTTY?: boolean | undefined };
export type Output = Writable & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/** The process environment of a run: streams, variables, clock and signal. Tests pass their own. */
export interface CliContext {
  createClient: (options: ClientOptions) => StorageRoutingClient;
  stdin: Input;
  stdout: Output;
  stderr: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted with an `Interruption` when a signal asks the run to end. */
  signal: AbortSignal;
  /** Interrupts the run as SIGINT does: in raw mode, the terminal sends Ctrl-C as a key. */
  interrupt: () => void;
  /** The identity provider of a service. */
  identity: Identity;
  /** Opens an address in a browser; false if there is none. */
  openUrl: (url: string) => Promise<boolean>;
  /** Milliseconds since 1970. */
  now: () => number;
  homeFolder: string;
  /** Target folder of files without a path of their own. */
  workingFolder: string;
  platform: NodeJS.Platform;
}

/** The signal that interrupted a run. */
export class InterruptionError extends Error {
  readonly signalName: 'SIGINT' | 'SIGTERM';

  constructor(signalName: 'SIGINT' | 'SIGTERM') {
    super(signalName === 'SIGINT' ? 'interrupted' : 'terminated');
    this.signalName = signalName;
  }
}
