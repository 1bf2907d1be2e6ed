import { readFile } from 'node:fs/promises';
import process from 'node:process';

const LOOK_EVERY_MS = 300;

/**
 * Calls `onGone` once when the parent process has ended: a killed npm sends no signal. npm starts a command
 * through a shell that may remain in between, so the shell's parent is watched as well.
 */
export async function watchParent(onGone: () => void): Promise<void> {
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
