import {
  escapeText,
  formatNumber,
  type MigrationStatus,
  type Relocation,
} from '@storage-routing/client';
import type { Command } from 'commander';
import { checkFree, writeWhole } from '../io/destination.ts';
import { EXIT, type ExitCode } from '../io/failure.ts';
import { type Invocation, type Perform, show, subcommand } from '../io/invocation.ts';
import { migrationProgress, migrationText } from '../present/migration.ts';
import { escapeJson } from '../io/text.ts';

export interface ReportOptions {
  output?: string;
  force?: boolean;
}

/** `srs migration watch`, `show`, `cancel` and `report` */
export function addMigration(parent: Command, perform: Perform): void {
  const migration = parent.command('migration').description('moves that were approved');
  subcommand(migration, 'watch', 'follow it until it ends; the exit code is the outcome')
    .argument('<migrationId>')
    .action(perform(watch));
  subcommand(migration, 'show', 'its current state')
    .argument('<migrationId>')
    .action(
      perform(
        show(({ migrations }, options, id: string) => migrations.get(id, options), migrationText),
      ),
    );
  subcommand(migration, 'cancel', 'stop at once; copied objects stay')
    .argument('<migrationId>')
    .action(
      perform(
        show(
          ({ migrations }, options, id: string) => migrations.cancel(id, options),
          migrationText,
        ),
      ),
    );
  addReportOptions(
    subcommand(migration, 'report', 'the migration report: one JSON line per object').argument(
      '<migrationId>',
    ),
  ).action(perform(report));
}

async function watch(call: Invocation, id: string): Promise<ExitCode> {
  call.print.note(`Ctrl-C does not stop it; to watch it again: srs migration watch ${id}`);
  return await follow(call, id);
}

/** Shows a migration until it ends; the exit code is the outcome. */
export async function follow(call: Invocation, id: string): Promise<ExitCode> {
  const { print, signal } = call;
  const { migrations } = await call.client();
  const ended = await migrations.waitFor(id, {
    signal,
    onRetry: print.retry,
    onProgress: (seen) => print.bar.show(seen.progress.percent, migrationProgress(seen)),
  });
  await print.result(ended, () => migrationText(ended));
  return endExitCode(ended.status);
}

/** What is still running is not a failure. */
export function endExitCode(status: MigrationStatus | Relocation['status']): ExitCode {
  switch (status) {
    case 'failed':
    case 'cancelled':
      return EXIT.failed;
    case 'completed_with_failures':
      return EXIT.partly;
    default:
      return EXIT.done;
  }
}

async function report(call: Invocation, id: string, options: ReportOptions): Promise<ExitCode> {
  const { migrations } = await call.client();
  const lines = migrations.report(id, { signal: call.signal });
  return await writeReport(call, options, { migrationId: id }, lines);
}

export function addReportOptions(command: Command): Command {
  return command
    .option('-o, --output <path>', 'to a file instead of standard output')
    .option('-f, --force', 'replace a file that is there');
}

/** Writes a line of JSON for each of these. @param about what the result of a written file names */
export async function writeReport(
  { print }: Invocation,
  { output, force = false }: ReportOptions,
  about: Readonly<Record<string, string>>,
  report: AsyncIterable<object>,
): Promise<ExitCode> {
  const toFile = output !== undefined && output !== '-';
  if (toFile) await checkFree(output, force);
  const lines = jsonLines(report);
  if (!toFile) {
    for await (const line of lines) if (!(await print.data(line))) break;
    return EXIT.done;
  }
  let count = 0;
  await writeWhole(
    output,
    force,
    counted(lines, () => (count += 1)),
  );
  await print.result(
    { ...about, path: output, lines: count },
    () => `${escapeText(output)}  ${formatNumber(count)} lines`,
  );
  return EXIT.done;
}

async function* jsonLines(report: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of report) yield `${escapeJson(line)}\n`;
}

async function* counted(lines: AsyncIterable<string>, onLine: () => void): AsyncGenerator<string> {
  for await (const line of lines) {
    onLine();
    yield line;
  }
}
