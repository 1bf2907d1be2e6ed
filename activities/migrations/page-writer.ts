import type { PageLedger, PlacedLine } from '../../adapters/mongo/migrations/object-ledger.ts';
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
import type { MigrationContext } from '../contexts.ts';

type PageWriterDeps = Pick<MigrationContext, 'ledger' | 'manifests' | 'now'> & {
  /** The round's. */
  readonly id: string;
  readonly page: number;
};

/** Another worker or the end has written about this page: this worker was presumed dead. */
class OvertakenError extends Error {
  override readonly name = 'OvertakenError';
}

/** The lines that a killed worker loses at most, by number and by age. */
const MAX_LINES = 250;
const MAX_AGE_MS = 1_000;

/** @throws MigrationStop if the migration has ended */
export async function openPageWriter(deps: PageWriterDeps): Promise<PageWriter> {
  const stored = await deps.ledger.ofPage(deps.id, deps.page);
  if (stored.isClosed) throw new MigrationStopError('internal_error', 'The migration has ended.');
  const writer = new PageWriter(deps, stored);
  await writer.repairCounts();
  return writer;
}

/** Writes the ledger of one page, many lines at a time. */
export class PageWriter {
  readonly #deps: PageWriterDeps;
  readonly #lines: Map<number, PlacedLine>;
  readonly #named: Set<number>;
  /** By place, the bytes of an object without a line that the target has confirmed. */
  readonly #inFlight = new Map<number, number>();
  #batches: number;
  #counts: MigrationCounts;
  #samples: readonly ByteSample[];
  #isUnsaved = false;
  #savedMs = performance.now();
  #pending: PlacedLine[] = [];
  #pendingSinceMs = 0;
  #naming: number[] = [];
  #writing: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(deps: PageWriterDeps, stored: PageLedger) {
    this.#deps = deps;
    this.#lines = new Map(stored.lines);
    this.#named = new Set(stored.named);
    this.#batches = stored.batches;
    this.#counts = [...this.#lines.values()].map(countLine).reduce(addCounts, NO_COUNTS);
    this.#samples = [{ atMs: deps.now().getTime(), bytes: this.#counts.bytesSettled }];
  }

  get lines(): ReadonlyMap<number, PlacedLine> {
    return this.#lines;
  }

  /** The places named so far, by this worker or one before it. */
  get named(): ReadonlySet<number> {
    return this.#named;
  }

  get counts(): MigrationCounts {
    return this.#counts;
  }

  /** A worker may have been killed between its last batch and the counts. */
  async repairCounts(): Promise<void> {
    if (this.#batches === 0) return;
    const progress = { batches: this.#batches, bytesInFlight: 0, samples: this.#samples };
    await this.#saveCounts(progress);
  }

  /**
   * Names places before their objects are written: an object at a named place without a line may be
   * this migration's. Resolves once they are stored; places of calls at the same time share a
   * write. @throws OvertakenError
   */
  name(places: readonly number[]): Promise<void> {
    this.#naming.push(...places);
    return this.flush();
  }

  /** Queues a line; it is written within a second. @throws OvertakenError */
  note(line: PlacedLine): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#pending.length === 0) this.#pendingSinceMs = performance.now();
    this.#pending.push(line);
    const ageMs = performance.now() - this.#pendingSinceMs;
    // The next line and the next flush report the failure.
    if (this.#pending.length >= MAX_LINES || ageMs >= MAX_AGE_MS)
      this.flush().catch(() => undefined);
  }

  /**
   * Notes how many bytes of an object without a line the target has confirmed; 0 if they are lost.
   * Written with the queued lines, about once a second.
   */
  confirm(place: number, bytes: number): void {
    if (this.#lines.has(place) || bytes === (this.#inFlight.get(place) ?? 0)) return;
    if (bytes === 0) this.#inFlight.delete(place);
    else this.#inFlight.set(place, bytes);
    this.#isUnsaved = true;
    if (performance.now() - this.#savedMs >= MAX_AGE_MS) this.flush().catch(() => undefined);
  }

  /** Resolves once all queued lines are written. @throws OvertakenError */
  flush(): Promise<void> {
    this.#writing = this.#writing
      .then(() => this.#write())
      .catch((error: unknown) => {
        this.#failure = error;
        throw error;
      });
    return this.#writing;
  }

  async #write(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const batch = { lines: this.#pending, named: this.#naming };
    this.#pending = [];
    this.#naming = [];
    if (batch.lines.length === 0 && batch.named.length === 0) return this.#saveProgress();
    const { ledger, id, page, now } = this.#deps;
    if (!(await ledger.append(id, page, this.#batches, batch, now())))
      throw new OvertakenError('another worker has written about this page');
    this.#batches += 1;
    for (const place of batch.named) this.#named.add(place);
    for (const line of batch.lines) {
      const replaced = this.#lines.get(line.place);
      if (replaced) this.#counts = subtractCounts(this.#counts, countLine(replaced));
      this.#counts = addCounts(this.#counts, countLine(line));
      this.#lines.set(line.place, line);
      this.#inFlight.delete(line.place);
    }
    await this.#saveCounts(this.#takeProgress());
  }

  async #saveCounts(progress: PageProgress): Promise<void> {
    const { manifests, id, page, now } = this.#deps;
    await manifests.saveCounts(id, page, { ...this.#counts, ...progress }, now());
  }

  /** The copy does not depend on it: the next write repeats a failed one. */
  async #saveProgress(): Promise<void> {
    if (!this.#isUnsaved) return;
    const { manifests, id, page, now } = this.#deps;
    await manifests.saveProgress(id, page, this.#takeProgress(), now()).catch(() => {
      this.#isUnsaved = true;
    });
  }

  #takeProgress(): PageProgress {
    this.#isUnsaved = false;
    this.#savedMs = performance.now();
    const bytesInFlight = [...this.#inFlight.values()].reduce((sum, bytes) => sum + bytes, 0);
    const bytes = this.#counts.bytesSettled + bytesInFlight;
    this.#samples = addSample(this.#samples, { atMs: this.#deps.now().getTime(), bytes });
    return { batches: this.#batches, bytesInFlight, samples: this.#samples };
  }
}
