import { fileIdOf } from '../../domain/common/file-keys.ts';
import { settledObjects } from '../../domain/migrations/counts.ts';
import { FAILURE_REASONS, type LedgerLine } from '../../domain/migrations/object-ledger.ts';
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
  const { files: filesTotal, bytes: bytesTotal, status } = relocation;
  const settled = settledObjects(counts);
  const confirmed = counts.bytesSettled + bytesInFlight;
  const share = bytesTotal > 0 ? confirmed / bytesTotal : settled / Math.max(1, filesTotal);
  const isWhole = status !== 'planning' && settled >= filesTotal;
  return {
    filesTotal,
    filesMoved: counts.copied,
    filesSkipped: counts.skipped,
    filesFailed: counts.failed,
    bytesTotal,
    bytesMoved: counts.bytesCopied,
    percent: isWhole ? 100 : Math.min(99, Math.floor(100 * share)),
    bytesPerSecond,
    etaSeconds:
      bytesPerSecond > 0 ? Math.ceil(Math.max(0, bytesTotal - confirmed) / bytesPerSecond) : null,
  };
}

/** NDJSON: a line for each file, and a last one with their sum. */
export async function* presentRelocationReport(
  { relocation, counts }: RelocationSnapshot,
  pages: AsyncIterable<readonly LedgerLine[]>,
): AsyncGenerator<string> {
  for await (const lines of pages)
    yield lines.map((line) => `${JSON.stringify(presentFile(relocation, line))}\n`).join('');
  const sum = toView(RelocationSum, {
    ...relocation,
    filesMoved: counts.copied,
    filesSkipped: counts.skipped,
    filesFailed: counts.failed,
    bytesMoved: counts.bytesCopied,
  });
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
