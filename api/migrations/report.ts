import type { Manifests } from '../../adapters/mongo/manifests.ts';
import type { ObjectLedger } from '../../adapters/mongo/object-ledger.ts';
import type { MigrationCounts } from '../../domain/migration/counts.ts';
import type { LedgerLine } from '../../domain/migration/object-ledger.ts';
import { isEnded, type MigrationRecord } from '../../domain/migration/migration.ts';

export interface MigrationReportDeps {
  readonly manifests: Manifests;
  readonly ledger: ObjectLedger;
}

/** A part of a migration's report: the lines of one page, or the totals after the last page. */
export type MigrationReportPart =
  | { readonly kind: 'lines'; readonly lines: readonly LedgerLine[] }
  | {
      readonly kind: 'totals';
      readonly record: MigrationRecord;
      readonly counts: MigrationCounts;
    };

/** All failures are counted; this many are listed. */
const MAX_FAILURES = 100;

/** The lines of the objects that failed, in the order of their keys, at most 100. */
export async function readFailures(
  { manifests, ledger }: MigrationReportDeps,
  migrationId: string,
): Promise<LedgerLine[]> {
  const failures: LedgerLine[] = [];
  for await (const page of manifests.withFailures(migrationId)) {
    const { lines } = await ledger.ofPage(migrationId, page);
    failures.push(...inOrder(lines).filter(({ outcome }) => outcome === 'failed'));
    if (failures.length >= MAX_FAILURES) break;
  }
  return failures.slice(0, MAX_FAILURES);
}

/**
 * The report of a migration, page by page: a line for each object whose outcome is known, in the order of
 * their keys, and the totals if the migration had ended when `record` was read.
 */
export async function* readMigrationReport(
  { manifests, ledger }: MigrationReportDeps,
  record: MigrationRecord,
): AsyncGenerator<MigrationReportPart> {
  const { migrationId, manifest, status } = record;
  for (let page = 0; page < (manifest?.pages ?? 0); page += 1) {
    const { lines } = await ledger.ofPage(migrationId, page);
    if (lines.size > 0) yield { kind: 'lines', lines: inOrder(lines) };
  }
  if (isEnded(status))
    yield { kind: 'totals', record, counts: await manifests.counts(migrationId) };
}

function inOrder(lines: ReadonlyMap<number, LedgerLine>): LedgerLine[] {
  return [...lines].toSorted(([a], [b]) => a - b).map(([, line]) => line);
}
