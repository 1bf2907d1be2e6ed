import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

interface Holder {
  pid: number;
  token: string;
}

export interface LockOptions {
  /** Called once if another process holds the lock. */
  onWait?: (pid: number) => void;
  timeoutMs?: number;
  pollMs?: number;
}

const LONGEST_BUILD_MS = 30 * 60_000;

/**
 * Runs `action` while holding the lock file; other processes on this machine wait. The lock of a dead process is
 * taken over: the right to replace a given dead holder is itself a file named after that holder, which only one
 * process can create, so that two processes that see the same dead lock never both acquire it.
 */
export async function withLock<T>(
  file: string,
  action: () => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  const self: Holder = { pid: process.pid, token: randomUUID() };
  const own = `${file}.${self.token}`;
  await writeFile(own, JSON.stringify(self));
  try {
    await acquire(file, own, options);
    try {
      return await action();
    } finally {
      await unlink(file);
    }
  } finally {
    await unlink(own).catch(() => {});
  }
}

async function acquire(file: string, own: string, options: LockOptions): Promise<void> {
  const deadline = Date.now() + (options.timeoutMs ?? LONGEST_BUILD_MS);
  let hasReported = false;
  for (;;) {
    if (await linked(own, file)) return;
    const holder = await read(file);
    if (holder !== undefined && !isAlive(holder.pid)) {
      if (await takeOver(file, own, holder)) return;
    } else if (holder !== undefined && !hasReported) {
      hasReported = true;
      options.onWait?.(holder.pid);
    }
    if (Date.now() > deadline) {
      throw new Error(
        `still locked by process ${holder?.pid ?? '?'} after ${options.timeoutMs} ms: ${file}`,
      );
    }
    await delay(options.pollMs ?? 100);
  }
}

/** Follows the chain of processes that died during a takeover, and tries to become its last link. */
async function takeOver(file: string, own: string, dead: Holder): Promise<boolean> {
  let last = dead;
  for (;;) {
    const successorFile = `${file}.after-${last.token}`;
    if (await linked(own, successorFile)) {
      // The file is never removed: another process may have read the dead lock long ago and act on it later.
      if ((await read(file))?.token !== dead.token) return false;
      await link(own, `${own}.moving`);
      await rename(`${own}.moving`, file);
      return true;
    }
    const successor = await read(successorFile);
    if (successor === undefined || isAlive(successor.pid)) return false;
    last = successor;
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function read(file: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
