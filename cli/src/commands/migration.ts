import type { Migration, MigrationStatus } from '@storage-routing/client';
import type { Command } from 'commander';
import { checkFree, writeWhole } from '../io/destination.ts';
import { EXIT, type ExitCode } from '../io/failure.ts';
import { type Invocation, type Perform, subcommand, wholeNumber } from '../io/invocation.ts';
import { migrationProgress, migrationText } from '../present/migration.ts';
import { shown, shownCount, shownJson } from '../io/text.ts';

interface WatchOptions {
  pollMs: number;
}

interface ReportOptions {
  output?: string;
  force?: boolean;
}

/** `srs migration watch`, `show`, `cancel` and `report` */
export function addMigration(parent: Command, perform: Perform): void {
  const migration = parent.command('migration').description('moves that were approved');
  subcommand(migration, 'watch', 'follow it to its end; the exit code says which end')
    .argument('<migrationId>')
    .option('--poll-ms <ms>', 'between two looks', wholeNumber(50, 600_000), 2_000)
    .action((id: string, { pollMs }: WatchOptions, command: Command) =>
      perform(command, (call) => watch(call, id, pollMs)),
    );
  subcommand(migration, 'show', 'where it stands now')
    .argument('<migrationId>')
    .action((id: string, _options: object, command: Command) =>
      perform(command, (call) => show(call, id)),
    );
  subcommand(migration, 'cancel', 'stop after the objects in flight; what was copied stays')
    .argument('<migrationId>')
    .action((id: string, _options: object, command: Command) =>
      perform(command, (call) => cancel(call, id)),
    );
  subcommand(migration, 'report', 'the migration report: one JSON line per object')
    .argument('<migrationId>')
    .option('-o, --output <path>', 'to a file instead of standard output')
    .option('-f, --force', 'replace a file that is there')
    .action((id: string, options: ReportOptions, command: Command) =>
      perform(command, (call) => report(call, id, options)),
    );
}

async function watch(call: Invocation, id: string, pollMs: number): Promise<ExitCode> {
  const { print, signal } = call;
  print.note(`Ctrl-C leaves it running; srs migration watch ${id} watches it again`);
  const ended = await (
    await call.client()
  ).migrations.waitFor(id, {
    pollMs,
    signal,
    onRetry: print.retry,
    onProgress: (seen) => print.bar.show(seen.progress.percent, migrationProgress(seen)),
  });
  await print.result(ended, () => migrationText(ended));
  return exitCodeOfEnd(ended.status);
}

/** A migration that is still running is not a failure. */
function exitCodeOfEnd(status: MigrationStatus): ExitCode {
  switch (status) {
    case 'failed':
    case 'cancelled':
      return EXIT.failed;
    case 'completed_with_failures':
      return EXIT.partly;
    case 'queued':
    case 'planning':
    case 'copying':
    case 'verifying':
    case 'cancelling':
    case 'completed':
      return EXIT.done;
  }
}

async function show(call: Invocation, id: string): Promise<ExitCode> {
  return await print(call, await (await call.client()).migrations.get(id, { signal: call.signal }));
}

async function cancel(call: Invocation, id: string): Promise<ExitCode> {
  const { migrations } = await call.client();
  return await print(call, await migrations.cancel(id, { signal: call.signal }));
}

async function print(call: Invocation, migration: Migration): Promise<ExitCode> {
  await call.print.result(migration, () => migrationText(migration));
  return EXIT.done;
}

async function report(
  call: Invocation,
  id: string,
  { output, force = false }: ReportOptions,
): Promise<ExitCode> {
  const toFile = output !== undefined && output !== '-';
  if (toFile) await checkFree(output, force);
  const { migrations } = await call.client();
  const lines = linesOf(migrations.report(id, { signal: call.signal }));
  if (!toFile) {
    for await (const line of lines) if (!(await call.print.data(line))) break;
    return EXIT.done;
  }
  let count = 0;
  await writeWhole(
    output,
    force,
    counted(lines, () => (count += 1)),
  );
  await call.print.result(
    { migrationId: id, path: output, lines: count },
    () => `${shown(output)}  ${shownCount(count)} lines`,
  );
  return EXIT.done;
}

async function* linesOf(report: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of report) yield `${shownJson(line)}\n`;
}

async function* counted(lines: AsyncIterable<string>, onLine: () => void): AsyncGenerator<string> {
  for await (const line of lines) {
    onLine();
    yield line;
  }
}
