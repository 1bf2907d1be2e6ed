import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { createCache } from './system/cache.ts';
import type { CloudAccount } from './parts/cloud-account.ts';
import type { IdentityProvider } from './identity/identity.ts';
import { openMongo, openTemporal } from './parts/databases.ts';
import { openIdentity } from './parts/identity.ts';
import { pickGiven, type Environment, type Part, type PartContext } from './parts/part.ts';
import { openCloud, openStore } from './parts/stores.ts';
import { createProcesses, type ProcessHandle, type Processes } from './system/processes.ts';
import { createProgress, type Progress } from './system/progress.ts';
import type { ResolverContext } from './services/service.ts';

export interface StackOptions {
  /** The environment that may name running servers; default: the process's own. */
  given?: NodeJS.ProcessEnv;
  /** MongoDB keeps its data on disk, as Temporal always does, so that a kill loses nothing. */
  persistent?: boolean;
  /** Temporal namespaces to create besides `default`. */
  namespaces?: readonly string[];
  /** Events of a workflow run from which Temporal suggests continue-as-new; 4,096 by default. */
  eventsPerRun?: number;
  progress?: Progress;
}

/** The local servers of one run. The handle of a server whose address was given is null. */
export interface Stack {
  /** The variables of the service and its clients, as `npm run stack` prints them. */
  environment: Environment;
  processes: Processes;
  resolverContext: ResolverContext;
  mongodb: ProcessHandle | null;
  temporal: ProcessHandle | null;
  r2: ProcessHandle | null;
  b2: ProcessHandle | null;
  cloud: CloudAccount | null;
  identity: IdentityProvider | null;
  /** Resolve when each server, or all of them, answer. */
  up: Readonly<Record<'mongodb' | 'temporal' | 'stores' | 'identity' | 'all', Promise<void>>>;
  stop(): Promise<void>;
}

/** Starts the local servers and waits until all of them answer. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const stack = await openStack(options);
  try {
    await stack.up.all;
    return stack;
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

/** Returns when all programs are found and started; `up` resolves when they answer. */
export async function openStack(options: StackOptions = {}): Promise<Stack> {
  const progress = options.progress ?? createProgress();
  const resolverContext: ResolverContext = { progress, cache: createCache(progress) };
  const processes = createProcesses((text) => progress.say(`!! ${text}`));
  const given = options.given ?? process.env;
  let markOpened = () => {};
  const opened = new Promise<void>((resolve) => {
    // Delayed, so that the caller can start its own processes first.
    markOpened = () => void setTimeout(resolve, 20);
  });
  const context: PartContext = {
    opened,
    given,
    resolverContext,
    processes,
    persistent: options.persistent ?? false,
    namespaces: options.namespaces ?? [],
    eventsPerRun: options.eventsPerRun,
  };
  const opening = [
    openTemporal(context),
    openMongo(context),
    openStore(context, 'r2'),
    openStore(context, 'b2'),
  ] as const;
  const inProcess = [openCloud(context), openIdentity(context)] as const;
  const closeAll = async () => {
    markOpened();
    const opened = await Promise.allSettled([...opening, ...inProcess]);
    const parts = opened.flatMap((result): Part[] =>
      result.status === 'fulfilled' ? [result.value] : [],
    );
    await Promise.all(parts.map((part) => part.close()));
    await processes.stopAll();
  };

  try {
    const [temporal, mongodb, r2, b2] = await Promise.all(opening);
    const [cloud, identity] = await Promise.all(inProcess);
    markOpened();
    const parts: Part[] = [mongodb, temporal, identity, cloud, r2, b2];
    return {
      environment: {
        ...Object.assign({}, ...parts.map((part) => part.environment)),
        ...settings(given),
      },
      processes,
      resolverContext,
      mongodb: mongodb.process,
      temporal: temporal.process,
      r2: r2.process,
      b2: b2.process,
      cloud: cloud.account,
      identity: identity.provider,
      up: {
        mongodb: mongodb.up,
        temporal: temporal.up,
        stores: whenUp([cloud, r2, b2]),
        identity: identity.up,
        all: whenUp(parts),
      },
      stop: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Settings besides addresses: fresh keys, and limits that tests and the demo do not reach. */
function settings(given: NodeJS.ProcessEnv): Record<string, string> {
  const unlimited = '100000';
  return {
    CREDENTIAL_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    RATE_LIMIT_KEY: unlimited,
    RATE_LIMIT_ACCOUNT: unlimited,
    RATE_LIMIT_UNAUTHENTICATED: unlimited,
    MIN_MONTHLY_SAVINGS_USD: '0',
    MIN_MOVE_MONTHLY_SAVINGS_USD: '0',
    // An existing database holds secrets that are sealed with its own keys.
    ...pickGiven(given, given['MONGODB_URI'] ? ['CREDENTIAL_KEYS'] : []),
  };
}

function whenUp(parts: readonly Part[]): Promise<void> {
  const all = Promise.all(parts.map((part) => part.up)).then(() => {});
  all.catch(() => {});
  return all;
}
