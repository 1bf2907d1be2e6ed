import { fileIdOf } from '../../domain/common/file-keys.ts';
import type { MigrationCounts } from '../../domain/migrations/counts.ts';
import { FAILURE_REASONS, type LedgerLine } from '../../domain/migrations/object-ledger.ts';
import { secondsLeft, toPercent } from '../../domain/migrations/progress.ts';
import { roundUsd } from '../../domain/pricing/money.ts';
import type { RelocationRecord } from '../../domain/relocations/relocation.ts';
import type { RelocationSnapshot } from '../../operations/relocations/relocations.ts';
import { toView, type View } from '../http/route.ts';
import { RelocationSum, RelocationView, type RelocatedFile } from './schemas.ts';

export function presentRelocation(snapshot: RelocationSnapshot): View<typeof RelocationView> {
  const { relocation, failures } = snapshot;
  return toView(RelocationView, {
    ...relocation,
    costUsd: roundUsd(relocation.costUsd),
    progress: progressOf(snapshot),
    failures: failures.flatMap(({ key, code }) =>
      code ? [{ fileId: fileIdOf(key), code, reason: FAILURE_REASONS[code] }] : [],
    ),
  });
}

function progressOf({ relocation, counts, bytesInFlight, bytesPerSecond }: RelocationSnapshot) {
  const { files: objectsTotal, bytes: bytesTotal, status } = relocation;
  const progress = { objectsTotal, bytesTotal, counts, bytesInFlight };
  return {
    ...filesOf(counts),
    filesTotal: objectsTotal,
    bytesTotal,
    percent: toPercent(progress, status),
    bytesPerSecond,
    etaSeconds: secondsLeft(progress, bytesPerSecond),
  };
}

function filesOf({ copied, skipped, failed, bytesCopied }: MigrationCounts) {
  return {
    filesMoved: copied,
    filesSkipped: skipped,
    filesFailed: failed,
    bytesMoved: bytesCopied,
  };
}

/** NDJSON: a line for each file, and a last one with their sum. */
export async function* presentRelocationReport(
  { relocation, counts }: RelocationSnapshot,
  pages: AsyncIterable<readonly LedgerLine[]>,
): AsyncGenerator<string> {
  for await (const lines of pages)
    yield lines.map((line) => `${JSON.stringify(presentFile(relocation, line))}\n`).join('');
  const sum = toView(RelocationSum, { ...relocation, ...filesOf(counts) });
  yield `${JSON.stringify(sum)}\n`;
}

function presentFile({ from, to }: RelocationRecord, line: LedgerLine): View<typeof RelocatedFile> {
  const { key, bytes, sha256, outcome, code, movedAt = null, sourceDeletedAt = null } = line;
  return {
    fileId: fileIdOf(key),
    bytes,
    sha256,
    from,
    to,
    outcome: outcome === 'copied' || outcome === 'removed' ? 'moved' : outcome,
    ...(code ? { code } : {}),
    movedAt,
    sourceDeletedAt,
  };
}
