import { addCounts, NO_COUNTS, type MigrationCounts } from '../domain/migrations/counts.ts';
import { addSample, recentBytesPerSecond, type ByteSample } from '../domain/migrations/progress.ts';
import type {
  CopySlice,
  ManifestSlice,
  MigrationResume,
  MigrationView,
  OpenedMigration,
} from '../messages/migration.ts';

/** The state of a running migration: the pages that are left, and the counts of the others. */
export interface MigrationState {
  readonly phase: MigrationResume['phase'];
  /** Of the manifest. */
  readonly pages: number;
  readonly lastFailure: () => string | null;
  setManifest(manifest: ManifestSlice): void;
  /** Starts a pass over all pages. */
  begin(phase: 'copying' | 'verifying', nowMs: number): void;
  /** Whether there are pages that no slice works on. */
  hasPages(): boolean;
  /** The next pages for one of `concurrency` slices: a fair share of what is left. */
  take(concurrency: number): number[];
  /** Records a slice. Pages that were taken and that it does not report become available again. */
  note(taken: readonly number[], slice: CopySlice, nowMs: number): void;
  /** The length of the next slice. It grows with the time that the phase has taken. */
  sliceMs(nowMs: number): number;
  /** The user has cancelled it; the objects in flight are finished. */
  cancel(): void;
  /** The status and the counts that are stored as final. */
  end(status: MigrationView['status'], counts: MigrationCounts): void;
  view(): MigrationView;
  /** By the slices that have ended in the last 30 seconds of copying; objects in flight are not known. */
  bytesPerSecond(): number;
  /** The input of the next run. */
  toContinueAsNew(opened: OpenedMigration): MigrationResume;
}

/** A larger share would keep other slices from these pages. */
const MAX_TAKEN = 8;
const SLICE_SHARE = 0.05;
const MIN_SLICE_MS = 2_000;
const MAX_SLICE_MS = 60_000;

export function createMigrationState(resume: MigrationResume | undefined): MigrationState {
  let manifest = resume?.manifest ?? { isWhole: false, pages: 0, objects: 0, bytes: 0 };
  let nextPage = resume?.nextPage ?? 0;
  const waiting: number[] = [...(resume?.waiting ?? [])];
  const open = new Map<number, MigrationCounts>(
    (resume?.open ?? []).map(({ page, counts }) => [page, counts]),
  );
  let settled = resume?.settled ?? NO_COUNTS;
  let sinceMs = resume?.sinceMs ?? 0;
  let lastFailure = resume?.lastFailure ?? null;
  let phase = resume?.phase ?? 'planning';
  let status: MigrationView['status'] | undefined;
  let final: MigrationCounts | undefined;
  let samples: readonly ByteSample[] = [];

  const total = (): MigrationCounts => final ?? [...open.values()].reduce(addCounts, settled);

  function rate(): number {
    const [first] = samples;
    const last = samples.at(-1);
    if (!first || !last) return 0;
    return recentBytesPerSecond([samples], { nowMs: last.atMs, beganMs: first.atMs });
  }

  return {
    get phase() {
      return phase;
    },
    get pages() {
      return manifest.pages;
    },
    lastFailure: () => lastFailure,

    setManifest(progress) {
      manifest = progress;
    },

    begin(next, nowMs) {
      phase = next;
      nextPage = 0;
      sinceMs = nowMs;
      samples = [{ atMs: nowMs, bytes: total().bytesSettled }];
    },

    hasPages: () => waiting.length > 0 || nextPage < manifest.pages,

    take(concurrency) {
      const left = manifest.pages - nextPage + waiting.length;
      const share = Math.min(MAX_TAKEN, Math.max(1, Math.ceil(left / (2 * concurrency))));
      const pages = waiting.splice(0, share);
      while (pages.length < share && nextPage < manifest.pages) pages.push(nextPage++);
      return pages;
    },

    note(taken, slice, nowMs) {
      const done = new Set<number>();
      for (const { page, isDone, counts } of slice.pages) {
        if (isDone) done.add(page);
        if (isDone || phase === 'verifying') {
          open.delete(page);
          settled = addCounts(settled, counts);
        } else open.set(page, counts);
      }
      waiting.push(...taken.filter((page) => !done.has(page)));
      lastFailure = slice.lastFailure ?? lastFailure;
      samples = addSample(samples, { atMs: nowMs, bytes: total().bytesSettled });
    },

    sliceMs: (nowMs) =>
      Math.round(Math.min(MAX_SLICE_MS, Math.max(MIN_SLICE_MS, (nowMs - sinceMs) * SLICE_SHARE))),

    cancel() {
      status = 'cancelling';
    },

    end(ended, counts) {
      status = ended;
      final = counts;
    },

    bytesPerSecond: () => (status === undefined && phase === 'copying' ? rate() : 0),

    view() {
      const counts = total();
      return {
        status: status ?? phase,
        progress: { objectsTotal: manifest.objects, bytesTotal: manifest.bytes, counts },
      };
    },

    toContinueAsNew(opened) {
      return {
        opened,
        phase,
        manifest,
        nextPage,
        waiting: [...waiting],
        settled,
        open: [...open].map(([page, counts]) => ({ page, counts })),
        sinceMs,
        lastFailure,
      };
    },
  };
}
