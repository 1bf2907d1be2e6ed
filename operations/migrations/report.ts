import type { Manifests } from '../../adapters/mongo/migrations/manifests.ts';
import { sumBy } from '../../domain/common/sums.ts';
import { addCounts } from '../../domain/migrations/counts.ts';
import type { LedgerLine } from '../../domain/migrations/object-ledger.ts';
import {
  isEnded,
  type MigrationProgress,
  type MigrationRecord,
} from '../../domain/migrations/migration.ts';
import { roundId } from '../../domain/migrations/rounds.ts';

/** A part of a migration's report: the lines of a page, or at last the totals. */
export type MigrationReportPart =
  | { readonly kind: 'lines'; readonly round: number; readonly lines: readonly LedgerLine[] }
  | {
      readonly kind: 'totals';
      readonly record: MigrationRecord;
      readonly progress: MigrationProgress;
    };

/** All failures are counted; this many are listed. */
const MAX_FAILURES = 100;
/** A round without a manifest has no lines. */
const NOT_LISTED = { pages: 0 };

/** The lines of the objects that failed in a round, in the order of their keys, at most 100. */
export async function readFailures(
  manifests: Pick<Manifests, 'withFailures' | 'lines'>,
  id: string,
): Promise<LedgerLine[]> {
  const failures: LedgerLine[] = [];
  for await (const page of manifests.withFailures(id)) {
    const lines = await manifests.lines(id, page);
    failures.push(...lines.filter(({ outcome }) => outcome === 'failed'));
    if (failures.length >= MAX_FAILURES) break;
  }
  return failures.slice(0, MAX_FAILURES);
}

/**
 * The report of a migration, round by round and page by page: a line for each object whose outcome
 * is known, in the order of their keys, and the totals if the latest round had ended when `record`
 * was read.
 */
export async function* readMigrationReport(
  manifests: Pick<Manifests, 'lines' | 'counts'>,
  record: MigrationRecord,
): AsyncGenerator<MigrationReportPart> {
  const { migrationId, round, earlierRounds, manifest, status } = record;
  for (const { number, manifest: listed } of [...earlierRounds, { number: round, manifest }]) {
    const { pages } = listed ?? NOT_LISTED;
    for (let page = 0; page < pages; page += 1) {
      const lines = await manifests.lines(roundId({ migrationId, round: number }), page);
      if (lines.length > 0) yield { kind: 'lines', round: number, lines };
    }
  }
  if (!isEnded(status)) return;
  const rounds = [...earlierRounds, { manifest, counts: await manifests.counts(roundId(record)) }];
  const planned = rounds.flatMap((each) => each.manifest ?? []);
  const progress = {
    objectsTotal: sumBy(planned, ({ objects }) => objects),
    bytesTotal: sumBy(planned, ({ bytes }) => bytes),
    counts: rounds.map(({ counts }) => counts).reduce(addCounts),
  };
  yield { kind: 'totals', record, progress };
}
