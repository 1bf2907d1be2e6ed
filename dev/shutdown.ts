import { readFile } from 'node:fs/promises';
import process from 'node:process';

/** Servers of one process, which run until it is asked to end. */
export interface ServerRun {
  /** Resolves when all is up. */
  start(): Promise<void>;
  stop(): Promise<void>;
  say(text: string): void;
}

/** Starts servers, waits until the process is asked to end, stops them and exits; with 1 after an error. */
export async function runServers({ start, stop, say }: ServerRun): Promise<never> {
  const ending = untilAskedToEnd();
  let exitCode = 0;
  try {
    await Promise.race([start().then(() => ending), ending]);
    say('stopping');
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    exitCode = 1;
  }
  await stop();
  process.exit(exitCode);
}

const LOOK_EVERY_MS = 300;

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

/**
 * Calls `onGone` once when the parent process has ended: a killed npm sends no signal. npm starts a command
 * through a shell that may remain in between, so the shell's parent is watched as well.
 */
async function watchParent(onGone: () => void): Promise<void> {
  const parent = process.ppid;
  if (parent <= 1) return;
  // An interactive shell may outlive its own parent; npm's may not.
  const isNpms = process.env['npm_lifecycle_event'] !== undefined;
  const throughShell =
    isNpms && /^(sh|dash|bash|ash|zsh)$/.test((await readStat(parent))?.name ?? '');
  const grandparent = throughShell ? (await readStat(parent))?.parent : undefined;
  const timer = setInterval(() => {
    void (async () => {
      const isSame = process.ppid === parent;
      const isSameAbove =
        grandparent === undefined || (await readStat(parent))?.parent === grandparent;
      if (isSame && isSameAbove) return;
      clearInterval(timer);
      onGone();
    })();
  }, LOOK_EVERY_MS);
  timer.unref();
}

/** Linux only; other systems watch the direct parent. */
async function readStat(pid: number): Promise<{ name: string; parent: number } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const found = text === undefined ? null : /\((.*)\) \S (\d+)/.exec(text);
  return found === null ? undefined : { name: found[1] ?? '', parent: Number(found[2]) };
}
