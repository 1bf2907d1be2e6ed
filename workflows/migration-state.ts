import { addCounts, NO_COUNTS, type MigrationCounts } from '../domain/migrations/counts.ts';
import { addSample, recentBytesPerSecond, type ByteSample } from '../domain/migrations/progress.ts';
import type {
  CopySlice,
  ManifestSlice,
  MigrationResume,
  MigrationView,
  OpenedMigration,
} from '../messages/migration.ts';

/** A larger share would keep other slices from these pages. */
const MAX_TAKEN = 8;
const SLICE_SHARE = 0.05;
const MIN_SLICE_MS = 2_000;
const MAX_SLICE_MS = 60_000;

type Position = Omit<MigrationResume, 'opened' | 'waiting' | 'open'>;

const START: Omit<MigrationResume, 'opened'> = {
  phase: 'planning',
  manifest: { isWhole: false, pages: 0, objects: 0, bytes: 0 },
  nextPage: 0,
  settled: NO_COUNTS,
  sinceMs: 0,
  lastFailure: null,
  waiting: [],
  open: [],
};

/** The state of a running migration: the pages that are left, and the counts of the others. */
export class MigrationState {
  #position: Position;
  /** The pages that are started, not done, and that no slice works on. */
  readonly #waiting: number[];
  /** The counts of the pages that are started and not done. */
  readonly #open: Map<number, MigrationCounts>;
  #samples: readonly ByteSample[] = [];
  #status: MigrationView['status'] | undefined;
  #final: MigrationCounts | undefined;

  constructor(resume?: Omit<MigrationResume, 'opened'>) {
    const { waiting, open, ...position } = { ...START, ...resume };
    this.#position = position;
    this.#waiting = [...waiting];
    this.#open = new Map(open.map(({ page, counts }) => [page, counts]));
  }

  get phase(): MigrationResume['phase'] {
    return this.#position.phase;
  }

  /** The number of the manifest's pages. */
  get pages(): number {
    return this.#position.manifest.pages;
  }

  get lastFailure(): string | null {
    return this.#position.lastFailure;
  }

  setManifest(manifest: ManifestSlice): void {
    this.#position = { ...this.#position, manifest };
  }

  /** Starts a pass over all pages. */
  begin(phase: 'copying' | 'verifying', nowMs: number): void {
    this.#position = { ...this.#position, phase, nextPage: 0, sinceMs: nowMs };
    this.#samples = [{ atMs: nowMs, bytes: this.#total().bytesSettled }];
  }

  hasPages(): boolean {
    return this.#waiting.length > 0 || this.#position.nextPage < this.pages;
  }

  /** The next pages for one of `concurrency` slices: a fair share of what is left. */
  take(concurrency: number): number[] {
    const left = this.pages - this.#position.nextPage + this.#waiting.length;
    const share = Math.min(MAX_TAKEN, Math.max(1, Math.ceil(left / (2 * concurrency))));
    const pages = this.#waiting.splice(0, share);
    let { nextPage } = this.#position;
    while (pages.length < share && nextPage < this.pages) pages.push(nextPage++);
    this.#position = { ...this.#position, nextPage };
    return pages;
  }

  /** Records a slice. Pages that were taken and that it does not report become available again. */
  note(taken: readonly number[], slice: CopySlice, nowMs: number): void {
    let { settled } = this.#position;
    const done = new Set<number>();
    for (const { page, isDone, counts } of slice.pages) {
      if (isDone) done.add(page);
      if (isDone || this.phase === 'verifying') {
        this.#open.delete(page);
        settled = addCounts(settled, counts);
      } else this.#open.set(page, counts);
    }
    this.#waiting.push(...taken.filter((page) => !done.has(page)));
    const lastFailure = slice.lastFailure ?? this.lastFailure;
    this.#position = { ...this.#position, settled, lastFailure };
    const bytes = this.#total().bytesSettled;
    this.#samples = addSample(this.#samples, { atMs: nowMs, bytes });
  }

  /** The length of the next slice. It grows with the time that the phase has taken. */
  sliceMs(nowMs: number): number {
    const ms = (nowMs - this.#position.sinceMs) * SLICE_SHARE;
    return Math.round(Math.min(MAX_SLICE_MS, Math.max(MIN_SLICE_MS, ms)));
  }

  /** The user has cancelled it; the objects in flight are finished. */
  cancel(): void {
    this.#status = 'cancelling';
  }

  /** The status and the counts that are stored as final. */
  end(status: MigrationView['status'], counts: MigrationCounts): void {
    this.#status = status;
    this.#final = counts;
  }

  /** By the slices that have ended in the last 30 seconds, without objects in flight. */
  bytesPerSecond(): number {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (this.#status !== undefined || this.phase !== 'copying' || !first || !last) return 0;
    return recentBytesPerSecond([this.#samples], { nowMs: last.atMs, beganMs: first.atMs });
  }

  view(): MigrationView {
    const { objects: objectsTotal, bytes: bytesTotal } = this.#position.manifest;
    const progress = { objectsTotal, bytesTotal, counts: this.#total() };
    return { status: this.#status ?? this.phase, progress };
  }

  toContinueAsNew(opened: OpenedMigration): MigrationResume {
    const open = [...this.#open].map(([page, counts]) => ({ page, counts }));
    return { ...this.#position, opened, waiting: [...this.#waiting], open };
  }

  #total(): MigrationCounts {
    return this.#final ?? [...this.#open.values()].reduce(addCounts, this.#position.settled);
  }
}
