import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../io/failure.ts';
import { type Invocation, type Perform, subcommand } from '../io/invocation.ts';
import { scansText, uploadsText } from '../present/history.ts';
import { addPageOptions, type Page } from './lists.ts';

/** `srs history`, and its `scans` and `uploads` */
export function addHistory(parent: Command, perform: Perform): void {
  const history = parent.command('history').description('past scans and uploads, newest first');
  subcommand(history, 'scans', 'the scans of the last 90 days', { isDefault: true }).action(
    perform(listScans),
  );
  addPageOptions(subcommand(history, 'uploads', 'the files and the store of each')).action(
    perform(listUploads),
  );
}

async function listScans({ client, print, signal }: Invocation): Promise<ExitCode> {
  const { items } = await (await client()).scanner.history({ signal });
  await print.result({ items }, () => scansText(items));
  return EXIT.done;
}

async function listUploads(
  { client, print, signal }: Invocation,
  { limit, offset }: Page,
): Promise<ExitCode> {
  const page = await (await client()).analytics.routingHistory({ limit, offset, signal });
  await print.result(page, () => uploadsText(page));
  return EXIT.done;
}
