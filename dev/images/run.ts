import process from 'node:process';
import { join } from 'node:path';
import { outputOf } from '../commands.ts';
import { isHttpUp } from '../probes.ts';
import type { ProcessHandle, Processes } from '../processes.ts';
import type { Tree } from './build.ts';

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 25_000;

/**
 * Starts what an image would start, as its user: files belong to root there, so that whatever the
 * process wants to write outside of the temporary folder fails.
 */
export async function startTree(
  tree: Tree,
  processes: Processes,
  name: string,
  environment: Readonly<Record<string, string>>,
  readyUrl: string,
): Promise<ProcessHandle> {
  const [command = '', ...args] = [...asUser(tree.user), ...tree.command];
  return await processes.start({
    name,
    command,
    args,
    folder: join(tree.root, tree.workingFolder),
    environment: { ...tree.environment, HOME: '/nonexistent', ...environment },
    isReady: async () => await isHttpUp(readyUrl),
    readyWithinMs: READY_WITHIN_MS,
    stopWithinMs: STOP_WITHIN_MS,
  });
}

/** Only root can become somebody else. */
function asUser(user: string): readonly string[] {
  const [uid = '', gid = ''] = user.split(':');
  if (!/^[1-9]\d*$/.test(uid)) throw new Error(`not the number of a user without rights: ${user}`);
  if (process.getuid?.() !== 0) return [];
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
}

/** Whole mebibytes on disk. */
export async function sizeOf(folder: string): Promise<number> {
  return Number((await outputOf('du', ['-sm', folder])).split('\t')[0]);
}
