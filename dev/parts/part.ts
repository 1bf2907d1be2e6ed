import type { ProcessHandle, Processes } from '../system/processes.ts';
import type { ResolverContext } from '../services/service.ts';

export type Environment = Readonly<Record<string, string>>;

/** The inputs of every part of the stack. */
export interface PartContext {
  /** The environment that may name running servers. */
  given: NodeJS.ProcessEnv;
  resolverContext: ResolverContext;
  processes: Processes;
  /** MongoDB's data survive a kill, as Temporal's always do. */
  persistent: boolean;
  /** Temporal namespaces to create besides `default`. */
  namespaces: readonly string[];
  /** Events of a workflow run from which Temporal suggests continue-as-new. */
  eventsPerRun: number | undefined;
  /** Resolves when all programs are started; slow work in this process waits for it. */
  opened: Promise<void>;
}

/** A part of the stack that is starting: its variables are known before it answers. */
export interface Part {
  environment: Environment;
  up: Promise<void>;
  /** Null if the server was given or runs in this process. */
  process: ProcessHandle | null;
  close(): Promise<void>;
}

export function givenPart(environment: Environment): Part {
  return { environment, up: Promise.resolve(), process: null, close: async () => {} };
}

export function processPart(environment: Environment, process: ProcessHandle): Part {
  return { environment, up: process.ready, process, close: () => process.stop() };
}

/** The variables that are set; an empty value counts as unset. */
export function pickGiven(
  given: NodeJS.ProcessEnv,
  names: readonly string[],
): Record<string, string> {
  const pairs = names.map((name) => [name, given[name] ?? ''] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''));
}

/** @throws Error naming the missing variables that `because` requires */
export function requireGiven(
  given: NodeJS.ProcessEnv,
  because: string,
  names: readonly string[],
): Record<string, string> {
  const found = pickGiven(given, names);
  const missing = names.filter((name) => found[name] === undefined);
  if (missing.length > 0)
    throw new Error(`with ${because} given, these are needed too: ${missing.join(', ')}`);
  return found;
}
