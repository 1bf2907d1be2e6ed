import {
  MIGRATION_STATUSES,
  type MigrationStatus,
  type Recommendation,
  RECOMMENDATION_STATUSES,
} from '@storage-routing/client';
import { type Command, Option } from 'commander';
import { type Perform, show, subcommand, wholeNumber } from '../io/invocation.ts';
import { changesText } from '../present/changes.ts';
import { drillsText } from '../present/drill.ts';
import { scansText, uploadsText } from '../present/history.ts';
import { migrationsText } from '../present/migration.ts';
import { relocationsText } from '../present/relocation.ts';
import { recommendationsText } from '../present/recommendations.ts';

/** The options of a page. */
interface Page {
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

/** `srs changes`, `history`, `recommendations`, `migrations`, `relocations` and `drills` */
export function addLists(parent: Command, perform: Perform): void {
  subcommand(parent, 'changes', 'what is different from the scan before, and why')
    .argument('<scanId>', 'a completed scan')
    .action(
      perform(
        show(
          ({ scanner }, options, scanId: string) => scanner.changes(scanId, options),
          changesText,
        ),
      ),
    );
  const history = parent.command('history').description('past scans and uploads, newest first');
  subcommand(history, 'scans', 'the scans of the last 90 days', { isDefault: true }).action(
    perform(
      show(
        ({ scanner }, options) => scanner.history(options),
        ({ items }) => scansText({ items, total: items.length, offset: 0 }),
      ),
    ),
  );
  paged(subcommand(history, 'uploads', 'the files and the store of each')).action(
    perform(
      show(
        ({ analytics }, options, { limit, offset }: Page) =>
          analytics.routingHistory({ limit, offset, ...options }),
        uploadsText,
      ),
    ),
  );
  const recommending = 'what the scans recommend, the largest savings first';
  paged(subcommand(parent, 'recommendations', recommending), RECOMMENDATION_STATUSES)
    .option('--connection-id <connectionId>', 'of one cloud account')
    .action(
      perform(
        show(({ scanner }, options, page: RecommendationsOptions) => {
          const { status, connectionId, limit, offset } = page;
          return scanner.recommendations({ status, connectionId, limit, offset, ...options });
        }, recommendationsText),
      ),
    );
  const moving = 'the approved moves, the newest first';
  paged(subcommand(parent, 'migrations', moving), MIGRATION_STATUSES).action(
    perform(
      show(
        ({ migrations }, options, { status, limit, offset }: MigrationsOptions) =>
          migrations.list({ status, limit, offset, ...options }),
        migrationsText,
      ),
    ),
  );
  paged(subcommand(parent, 'relocations', 'the moves of uploaded files, the newest first')).action(
    perform(
      show(
        ({ relocations }, options, { limit, offset }: Page) =>
          relocations.list({ limit, offset, ...options }),
        relocationsText,
      ),
    ),
  );
  paged(subcommand(parent, 'drills', 'the exit drills, the newest first')).action(
    perform(
      show(
        ({ drills }, options, { limit, offset }: Page) =>
          drills.list({ limit, offset, ...options }),
        drillsText,
      ),
    ),
  );
}

/** Adds `--limit` and `--offset`, after `--status` if there are statuses. */
function paged(command: Command, statuses: readonly string[] = []): Command {
  if (statuses.length > 0)
    command.addOption(
      new Option('--status <status>', 'only those with this status').choices(statuses),
    );
  return command
    .option('--limit <count>', 'how many of them', wholeNumber(1, 50), 10)
    .option('--offset <count>', 'how many to skip', wholeNumber(0, 10_000), 0);
}
