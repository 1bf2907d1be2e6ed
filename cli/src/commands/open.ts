import type { Command } from 'commander';
import type { CliContext } from '../io/context.ts';
import type { Access } from '../io/access.ts';
import { EXIT, type ExitCode } from '../io/failure.ts';
import { type Invocation, type Perform, subcommand } from '../io/invocation.ts';

/** `srs open` */
export function addOpen(parent: Command, perform: Perform): void {
  subcommand(parent, 'open', 'open the dashboard in a browser, or print its address').action(
    perform(openDashboard),
  );
}

async function openDashboard({ context, access, print }: Invocation): Promise<ExitCode> {
  const url = dashboardUrl(await access());
  const opened = await context.openUrl(url);
  await print.result({ url, opened }, () => url);
  if (!opened) print.note('no browser could be opened here: open this address yourself');
  return EXIT.done;
}

/** The address of the dashboard, or of one of its views. */
export function dashboardUrl({ baseUrl }: Pick<Access, 'baseUrl'>, view = ''): string {
  return `${baseUrl.replace(/\/+$/, '')}/dashboard${view}`;
}

type Desktop = Pick<CliContext, 'env' | 'platform'>;

/** Opens an address in the user's browser. False if this machine has none, or it does not start. */
export async function openInBrowser(url: string, desktop: Desktop): Promise<boolean> {
  if (!hasScreen(desktop)) return false;
  // Imported on demand: no other command needs it, and a completion has to be quick.
  const { default: open } = await import('open');
  return await open(url).then(
    () => true,
    () => false,
  );
}

/** On Linux, and over SSH, a browser needs a display; WSL opens the one of Windows. */
function hasScreen({ env, platform }: Desktop): boolean {
  if (env['DISPLAY'] || env['WAYLAND_DISPLAY']) return true;
  if (env['SSH_CONNECTION'] || env['SSH_TTY']) return false;
  return platform !== 'linux' || Boolean(env['WSL_DISTRO_NAME']);
}
