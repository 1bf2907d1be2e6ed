import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { IdentityProvider } from './identity/identity.ts';
import type { Stack } from './stack.ts';
import { runLogged } from './system/commands.ts';
import type { Progress } from './system/progress.ts';

const ROOT = join(import.meta.dirname, '..');
const BUILD_TIMEOUT_MS = 120_000;

/** Builds the page where it is missing; an API that runs already finds it. `npm run build` makes it anew. */
export async function buildDashboard({ processes }: Stack, progress: Progress): Promise<void> {
  if (existsSync(join(ROOT, 'dist/dashboard/index.html'))) return;
  const done = progress.begin('building the dashboard');
  await runLogged('npm', ['run', '--silent', 'build', '-w', 'dashboard'], {
    folder: ROOT,
    environment: {},
    logFile: join(processes.logFolder, 'dashboard-build.log'),
    timeoutMs: BUILD_TIMEOUT_MS,
  });
  done('done');
}

/** `alice (account acme), bob (account globex), no password` */
export function formatUsers(identity: IdentityProvider | null): string {
  if (!identity) return '(of the identity provider that was given)';
  const users = identity.users.map(({ name, account }) => `${name} (account ${account})`);
  return `${users.join(', ')}; no password`;
}
