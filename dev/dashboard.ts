import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { IdentityUser } from './identity/users.ts';
import { runLogged } from './system/commands.ts';
import type { Progress } from './system/progress.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'dist/dashboard/index.html');
/** The page is made of these, and of installed packages, which the lock file names. */
const SOURCES = [
  'dashboard/src',
  'dashboard/index.html',
  'dashboard/package.json',
  'dashboard/vite.config.ts',
  'sdk/src',
  'package-lock.json',
].map((path) => join(ROOT, path));
const BUILD_TIMEOUT_MS = 120_000;

/**
 * Builds the page if it is missing or older than its sources. An API reads it with its first visitor,
 * so the build must have ended by then.
 */
export async function buildDashboard(logFolder: string, progress: Progress): Promise<void> {
  if (!(await isOutdated(PAGE, SOURCES))) return;
  const done = progress.begin('building the dashboard');
  await runLogged('npm', ['run', '--silent', 'build', '-w', 'dashboard'], {
    folder: ROOT,
    environment: {},
    logFile: join(logFolder, 'dashboard-build.log'),
    timeoutMs: BUILD_TIMEOUT_MS,
  });
  done('done');
}

/** Whether a file is missing, or older than any of the sources: files, or folders with all below them. */
async function isOutdated(file: string, sources: readonly string[]): Promise<boolean> {
  const [made, ...changed] = await Promise.all([
    newestChange(file).catch(() => Number.NEGATIVE_INFINITY),
    ...sources.map((source) => newestChange(source)),
  ]);
  return changed.some((time) => time > made);
}

/** Milliseconds since the epoch. */
async function newestChange(path: string): Promise<number> {
  const status = await stat(path);
  if (!status.isDirectory()) return status.mtimeMs;
  const entries = await readdir(path);
  const times = await Promise.all(entries.map((entry) => newestChange(join(path, entry))));
  // A file that was removed changes its folder.
  return Math.max(status.mtimeMs, ...times);
}

/** `alice (account acme, admin), …; no password` */
export function formatUsers(users: readonly IdentityUser[]): string {
  if (users.length === 0) return '(of the identity provider that was given)';
  return `${users.map(({ name, account, role }) => `${name} (account ${account}, ${role})`).join(', ')}; no password`;
}
