import type { ProcessHandle, Processes } from '../processes.ts';
import type { Workshop } from '../services/service.ts';

export type Environment = Readonly<Record<string, string>>;

/** What every part of the stack is started with. */
export interface PartContext {
  /** Where addresses of servers that run already may be given. */
  given: NodeJS.ProcessEnv;
  workshop: Workshop;
  processes: Processes;
  /** State survives a kill: Temporal and MongoDB on disk. */
  persistent: boolean;
  /** Temporal namespaces to create beside `default`. */
  namespaces: readonly string[];
  /** All programs are on their way: what is slow and in our own process may begin. */
  opened: Promise<void>;
}

/** A part of the stack that is starting: its variables are known before it answers. */
export interface Part {
  environment: Environment;
  up: Promise<void>;
  /** Null where it is somebody else's, or runs in our process. */
  process: ProcessHandle | null;
  close(): Promise<void>;
}

export function givenPart(environment: Environment): Part {
  return { environment, up: Promise.resolve(), process: null, close: async () => {} };
}

export function processPart(environment: Environment, process: ProcessHandle): Part {
  return { environment, up: process.ready, process, close: () => process.stop() };
}

/** Those of the variables that are set; an empty value counts as unset. */
export function pickGiven(
  given: NodeJS.ProcessEnv,
  names: readonly string[],
): Record<string, string> {
  const pairs = names.map((name) => [name, given[name] ?? ''] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''));
}

/** @throws Error naming every variable that is missing beside `because` */
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
