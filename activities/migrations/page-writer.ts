import type { ObjectLedger, PlacedLine } from '../../adapters/mongo/migrations/object-ledger.ts';
import type { Manifests } from '../../adapters/mongo/migrations/manifests.ts';
import type { PageProgress } from '../../adapters/mongo/migrations/page-counts.ts';
import {
  addCounts,
  countLine,
  NO_COUNTS,
  subtractCounts,
  type MigrationCounts,
} from '../../domain/migrations/counts.ts';
import { addSample, type ByteSample } from '../../domain/migrations/progress.ts';
import { MigrationStopError } from '../../domain/migrations/stop.ts';

export interface PageWriterDeps {
  readonly ledger: ObjectLedger;
  readonly manifests: Manifests;
  /** Of the round. */
  readonly id: string;
  readonly page: number;
  readonly now: () => Date;
}

/** Writes the ledger of one page, many lines at a time. */
export interface PageWriter {
  readonly lines: ReadonlyMap<number, PlacedLine>;
  /** The places named so far, by this worker or one before it. */
  readonly named: ReadonlySet<number>;
  /**
   * Names places before their objects are written: an object at a named place without a line may be this migration's.
   * Resolves once they are stored; places of calls at the same time share a write. @throws OvertakenError
   */
  name(places: readonly number[]): Promise<void>;
  /** The counts of the written lines. */
  counts(): MigrationCounts;
  /** Queues a line; it is written within a second, or with the next flush. @throws OvertakenError */
  note(line: PlacedLine): void;
  /**
   * Notes how many bytes of an object without a line the target has confirmed; 0 if they are lost.
   * Written with the queued lines, about once a second.
   */
  confirm(place: number, bytes: number): void;
  /** Resolves once all queued lines are written. @throws OvertakenError */
  flush(): Promise<void>;
}

/** Another worker or the end has written about this page: this worker was presumed dead. */
class OvertakenError extends Error {
  override readonly name = 'OvertakenError';
}

/** The lines that a killed worker loses at most, by number and by age. */
const MAX_LINES = 250;
const MAX_AGE_MS = 1_000;

/** @throws MigrationStop if the migration has ended */
export async function openPageWriter(deps: PageWriterDeps): Promise<PageWriter> {
  const { ledger, manifests, id, page, now } = deps;
  const found = await ledger.ofPage(id, page);
  if (found.isClosed) throw new MigrationStopError('internal_error', 'The migration has ended.');
  const lines = new Map(found.lines);
  let { batches } = found;
  let counted = [...lines.values()].reduce(
    (sum, line) => addCounts(sum, countLine(line)),
    NO_COUNTS,
  );
  // A worker may have been killed between its last batch and the counts.
  let samples: readonly ByteSample[] = [{ atMs: now().getTime(), bytes: counted.bytesSettled }];
  if (batches > 0) {
    const counts = { ...counted, batches, bytesInFlight: 0, samples };
    await manifests.saveCounts(id, page, counts, now());
  }
  const inFlight = new Map<number, number>();
  let isUnsaved = false;
  let savedMs = performance.now();
  const named = new Set(found.named);
  let pending: PlacedLine[] = [];
  let naming: number[] = [];
  let sinceMs = 0;
  let writing: Promise<void> = Promise.resolve();
  let failure: unknown;

  async function write(): Promise<void> {
    if (failure !== undefined) throw failure;
    const [batch, places] = [pending, naming];
    pending = [];
    naming = [];
    if (batch.length === 0 && places.length === 0) return saveProgress();
    if (!(await ledger.append(id, page, batches, { lines: batch, named: places }, now())))
      throw new OvertakenError('another worker has written about this page');
    batches += 1;
    for (const place of places) named.add(place);
    for (const line of batch) {
      const before = lines.get(line.place);
      if (before) counted = subtractCounts(counted, countLine(before));
      counted = addCounts(counted, countLine(line));
      lines.set(line.place, line);
      inFlight.delete(line.place);
    }
    await manifests.saveCounts(id, page, { ...counted, ...takeProgress() }, now());
  }

  function takeProgress(): PageProgress {
    isUnsaved = false;
    savedMs = performance.now();
    const bytesInFlight = [...inFlight.values()].reduce((sum, bytes) => sum + bytes, 0);
    samples = addSample(samples, {
      atMs: now().getTime(),
      bytes: counted.bytesSettled + bytesInFlight,
    });
    return { batches, bytesInFlight, samples };
  }

  /** The copy does not depend on it: the next write repeats a failed one. */
  async function saveProgress(): Promise<void> {
    if (!isUnsaved) return;
    await manifests.saveProgress(id, page, takeProgress(), now()).catch(() => {
      isUnsaved = true;
    });
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
    named,
    name(places) {
      naming.push(...places);
      return flush();
    },
    counts: () => counted,
    note(line) {
      if (failure !== undefined) throw failure;
      if (pending.length === 0) sinceMs = performance.now();
      pending.push(line);
      const isDue = pending.length >= MAX_LINES || performance.now() - sinceMs >= MAX_AGE_MS;
      // The next line and the next flush report the failure.
      if (isDue) flush().catch(() => undefined);
    },
    confirm(place, bytes) {
      if (lines.has(place) || bytes === (inFlight.get(place) ?? 0)) return;
      if (bytes === 0) inFlight.delete(place);
      else inFlight.set(place, bytes);
      isUnsaved = true;
      if (performance.now() - savedMs >= MAX_AGE_MS) flush().catch(() => undefined);
    },
    flush,
  };
}
