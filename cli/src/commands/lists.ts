import {
  MIGRATION_STATUSES,
  type MigrationStatus,
  type Recommendation,
  RECOMMENDATION_STATUSES,
} from '@storage-routing/client';
import { type Command, Option } from 'commander';
import { EXIT, type ExitCode } from '../io/failure.ts';
import { type Invocation, type Perform, subcommand, wholeNumber } from '../io/invocation.ts';
import { migrationsText } from '../present/migration.ts';
import { recommendationsText } from '../present/recommendations.ts';

/** The options of a page. */
export interface Page {
  limit: number;
  offset: number;
}

interface RecommendationsOptions extends Page {
  status?: Recommendation['status'];
  connectionId?: string;
}

interface MigrationsOptions extends Page {
  status?: MigrationStatus;
}

/** `srs recommendations` and `srs migrations` */
export function addLists(parent: Command, perform: Perform): void {
  paged(
    subcommand(parent, 'recommendations', 'what the scans recommend, the largest savings first'),
    RECOMMENDATION_STATUSES,
  )
    .option('--connection-id <connectionId>', 'of one cloud account')
    .action(perform(listRecommendations));
  paged(
    subcommand(parent, 'migrations', 'the approved moves, the newest first'),
    MIGRATION_STATUSES,
  ).action(perform(listMigrations));
}

function paged(command: Command, statuses: readonly string[]): Command {
  return addPageOptions(
    command.addOption(
      new Option('--status <status>', 'only those with this status').choices(statuses),
    ),
  );
}

/** Adds `--limit` and `--offset`. */
export function addPageOptions(command: Command): Command {
  return command
    .option('--limit <count>', 'how many of them', wholeNumber(1, 50), 10)
    .option('--offset <count>', 'how many to skip', wholeNumber(0, 10_000), 0);
}

async function listRecommendations(
  { print, signal, client }: Invocation,
  { status, connectionId, limit, offset }: RecommendationsOptions,
): Promise<ExitCode> {
  const { scanner } = await client();
  const query = { status, connectionId, limit, offset };
  const page = await scanner.recommendations({ ...query, signal });
  await print.result(page, () => recommendationsText(page));
  return EXIT.done;
}

async function listMigrations(
  { print, signal, client }: Invocation,
  { status, limit, offset }: MigrationsOptions,
): Promise<ExitCode> {
  const { migrations } = await client();
  const page = await migrations.list({ status, limit, offset, signal });
  await print.result(page, () => migrationsText(page));
  return EXIT.done;
}
