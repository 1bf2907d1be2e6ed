import process from 'node:process';
import { watchParent } from './parent-watch.ts';
import { createProgress, type Progress } from './progress.ts';

/** What the command uses of the local servers. */
interface RunningStack {
  readonly environment: Readonly<Record<string, string>>;
  readonly processes: { readonly logFolder: string };
  readonly up: { readonly all: Promise<void> };
  stop(): Promise<void>;
}

/** `npm run stack`: the variables on standard output, then `READY`; everything else goes to standard error. */
export async function runStackCommand(
  openStack: (options: { progress: Progress }) => Promise<RunningStack>,
): Promise<void> {
  const progress = createProgress();
  let stack: RunningStack | undefined;
  const ending = untilAskedToEnd();
  const run = async () => {
    stack = await openStack({ progress });
    await stack.up.all;
    const lines = Object.entries(stack.environment).map(([key, value]) => `${key}=${value}`);
    process.stdout.write(`${[...lines, 'READY'].join('\n')}\n`);
    progress.say(`ready; logs: ${stack.processes.logFolder}`);
    return 'up' as const;
  };
  try {
    const first = await Promise.race([run(), ending]);
    if (first === 'up') await ending;
    progress.say('stopping');
    await stack?.stop();
    process.exit(0);
  } catch (error) {
    progress.say(error instanceof Error ? error.message : String(error));
    await stack?.stop();
    process.exit(1);
  }
}

/** Resolves on SIGTERM, SIGINT, SIGHUP or the end of the parent process. A second signal exits at once. */
export async function untilAskedToEnd(): Promise<'ended'> {
  return await new Promise((resolve) => {
    let asked = 0;
    const end = () => {
      asked += 1;
      // The reaper ends the child processes.
      if (asked > 1) process.exit(130);
      resolve('ended');
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
    void watchParent(() => resolve('ended'));
  });
}
