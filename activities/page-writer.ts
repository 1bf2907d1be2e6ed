import type { ObjectLedger, PlacedLine } from '../adapters/mongo/object-ledger.ts';
import { NO_PROGRESS, type Manifests, type PageProgress } from '../adapters/mongo/manifests.ts';

export interface PageWriterDeps {
  readonly ledger: ObjectLedger;
  readonly manifests: Manifests;
  readonly migrationId: string;
  readonly page: number;
  readonly now: () => Date;
}

/** Writes the ledger of one page, many lines at a time. */
export interface PageWriter {
  readonly lines: ReadonlyMap<number, PlacedLine>;
  progress(): PageProgress;
  /** Takes a line in; it is written before long. */
  note(line: PlacedLine): void;
  /** Resolves once all that was taken in is written. @throws OvertakenError */
  flush(): Promise<void>;
}

/** Somebody else goes on with this page: whoever was thought dead, or was. */
class OvertakenError extends Error {
  override readonly name = 'OvertakenError';
}

/** A worker that dies loses at most so many lines, or the lines of so long. */
const MAX_LINES = 250;
const MAX_AGE_MS = 1_000;

export async function openPageWriter(deps: PageWriterDeps): Promise<PageWriter> {
  const { ledger, manifests, migrationId, page, now } = deps;
  const found = await ledger.ofPage(migrationId, page);
  const lines = new Map(found.lines);
  let { batches } = found;
  let counted = [...lines.values()].reduce((sum, line) => add(sum, line, 1), NO_PROGRESS);
  // Whoever wrote the last batch may not have come to count it.
  if (batches > 0) await manifests.settle(migrationId, page, { ...counted, batches }, now());
  let pending: PlacedLine[] = [];
  let sinceMs = 0;
  let writing: Promise<void> = Promise.resolve();
  let failure: unknown;

  async function write(): Promise<void> {
    if (failure !== undefined) throw failure;
    const batch = pending;
    pending = [];
    if (batch.length === 0) return;
    if (!(await ledger.append(migrationId, page, batches, batch, now())))
      throw new OvertakenError('somebody else has written about this page');
    batches += 1;
    for (const line of batch) {
      const before = lines.get(line.place);
      if (before) counted = add(counted, before, -1);
      counted = add(counted, line, 1);
      lines.set(line.place, line);
    }
    await manifests.settle(migrationId, page, { ...counted, batches }, now());
  }

  const flush = (): Promise<void> => {
    writing = writing.then(write).catch((error: unknown) => {
      failure = error;
      throw error;
    });
    return writing;
  };

  return {
    lines,
    progress: () => ({ ...counted, batches }),
    note(line) {
      if (pending.length === 0) sinceMs = performance.now();
      pending.push(line);
      const isDue = pending.length >= MAX_LINES || performance.now() - sinceMs >= MAX_AGE_MS;
      // What goes wrong shows at the next flush.
      if (isDue) flush().catch(() => undefined);
    },
    flush,
  };
}

function add(sum: PageProgress, line: PlacedLine, sign: 1 | -1): PageProgress {
  const { outcome, bytes, attempts, notCarried } = line;
  const counts = (wanted: boolean): number => (wanted ? sign : 0);
  return {
    batches: sum.batches,
    copied: sum.copied + counts(outcome === 'copied'),
    skipped: sum.skipped + counts(outcome === 'skipped'),
    failed: sum.failed + counts(outcome === 'failed'),
    tried: sum.tried + counts(attempts > 0),
    triedInVain: sum.triedInVain + counts(attempts > 0 && outcome === 'failed'),
    bytesCopied: sum.bytesCopied + counts(outcome === 'copied') * bytes,
    bytesSettled: sum.bytesSettled + sign * bytes,
    tags: sum.tags + counts(notCarried.includes('tags')),
    lock: sum.lock + counts(notCarried.includes('lock')),
  };
}
