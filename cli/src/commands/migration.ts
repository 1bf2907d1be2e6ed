import type { MigrationStatus, Relocation } from '@storage-routing/client';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../io/failure.ts';
import { type Invocation, type Perform, show, subcommand } from '../io/invocation.ts';
import { migrationProgress, migrationText } from '../present/migration.ts';
import { addReportOptions, type ReportOptions, writeReport } from './ndjson-report.ts';

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
