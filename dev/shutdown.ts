import process from 'node:process';
import { watchParent } from './parent-watch.ts';

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
