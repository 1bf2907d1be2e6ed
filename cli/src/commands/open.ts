import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../io/failure.ts';
import { type Invocation, type Perform, subcommand } from '../io/invocation.ts';

/** `srs open` */
export function addOpen(parent: Command, perform: Perform): void {
  subcommand(parent, 'open', 'open the dashboard in a browser, or print its address').action(
    (_options: object, command: Command) => perform(command, openDashboard),
  );
}

async function openDashboard({ context, access, print }: Invocation): Promise<ExitCode> {
  const { baseUrl } = await access();
  const url = `${baseUrl.replace(/\/+$/, '')}/dashboard`;
  const opened = await context.openUrl(url);
  await print.result({ url, opened }, () => url);
  if (!opened) print.note('no browser could be opened here: open this address yourself');
  return EXIT.done;
}
