import process from 'node:process';
import { createProgress } from './system/progress.ts';
import { runServers } from './shutdown.ts';
import { openStack, type Stack } from './stack.ts';

const progress = createProgress();
let stack: Stack | undefined;

/** `npm run stack`: the variables on standard output, then `READY`; everything else goes to standard error. */
await runServers({
  say: (text) => progress.say(text),
  async start() {
    stack = await openStack({ progress });
    await stack.up.all;
    const lines = Object.entries(stack.environment).map(([key, value]) => `${key}=${value}`);
    process.stdout.write(`${[...lines, 'READY'].join('\n')}\n`);
    progress.say(`ready; logs: ${stack.processes.logFolder}`);
  },
  stop: async () => await stack?.stop(),
});
