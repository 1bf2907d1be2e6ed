import process from 'node:process';
import { createProgress } from './system/progress.ts';
import { untilAskedToEnd } from './shutdown.ts';
import { openStack, type Stack } from './stack.ts';

/** `npm run stack`: the variables on standard output, then `READY`; everything else goes to standard error. */
async function runStackCommand(): Promise<void> {
  const progress = createProgress();
  let stack: Stack | undefined;
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

await runStackCommand();
