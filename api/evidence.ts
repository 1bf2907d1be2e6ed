import type { Ledger } from '../adapters/mongo/ledger.ts';
import type { Manifests } from '../adapters/mongo/manifests.ts';
import type { LedgerLine } from '../domain/migration/object-ledger.ts';
import { isEnded, type MigrationRecord } from '../domain/migration/migration.ts';
import { presentLine, presentSum } from './present/migration.ts';

export interface EvidenceDeps {
  readonly manifests: Manifests;
  readonly ledger: Ledger;
}

/** More failures than these are counted, not listed. */
const MAX_FAILURES = 100;

/** The lines of the objects that failed, in the order of their keys. */
export async function readFailures(
  { manifests, ledger }: EvidenceDeps,
  migrationId: string,
): Promise<LedgerLine[]> {
  const failures: LedgerLine[] = [];
  for (const page of await manifests.withFailures(migrationId)) {
    const { lines } = await ledger.ofPage(migrationId, page);
    failures.push(...inOrder(lines).filter(({ outcome }) => outcome === 'failed'));
    if (failures.length >= MAX_FAILURES) break;
  }
  return failures.slice(0, MAX_FAILURES);
}

/**
 * The evidence of a migration as NDJSON, page by page, whatever its length: a line for each object of
 * which the outcome is known, in the order of their keys, and where it had ended before, a last one
 * that sums up.
 */
export async function* readEvidence(
  { manifests, ledger }: EvidenceDeps,
  record: MigrationRecord,
): AsyncGenerator<string> {
  const { migrationId, manifest, status } = record;
  for (let page = 0; page < (manifest?.pages ?? 0); page += 1) {
    const { lines } = await ledger.ofPage(migrationId, page);
    const text = inOrder(lines).map((line) => `${JSON.stringify(presentLine(line))}\n`);
    if (text.length > 0) yield text.join('');
  }
  if (!isEnded(status)) return;
  const settled = await manifests.progress(migrationId);
  yield `${JSON.stringify(presentSum(record, settled))}\n`;
}

function inOrder(lines: ReadonlyMap<number, LedgerLine>): LedgerLine[] {
  return [...lines].toSorted(([a], [b]) => a - b).map(([, line]) => line);
}
