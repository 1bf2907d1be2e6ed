import type {
  CopyCounts,
  CopySlice,
  MigrationResume,
  MigrationView,
  OpenedMigration,
  PlanSlice,
} from '../messages/messages.ts';

/** What a running migration knows: which pages are left, and what became of the others. */
export interface MigrationState {
  phase: MigrationView['status'];
  readonly lastFailure: () => string | null;
  plan(planned: PlanSlice): void;
  /** Begins to go through all pages. */
  begin(phase: MigrationResume['phase'], nowMs: number): void;
  /** Whether there are pages that are in nobody's hands. */
  hasPages(): boolean;
  /** The next pages to work on, a fair share for one of so many hands. */
  take(hands: number): number[];
  /** What became of pages that were taken; those that it does not tell of are to be taken again. */
  note(taken: readonly number[], slice: CopySlice, nowMs: number): void;
  /** How long the next slice may take: the longer the work takes, the seldomer it is looked at. */
  sliceMs(nowMs: number): number;
  view(): MigrationView;
  /** What the next run has to know; undefined where no page is left. */
  toContinueAsNew(opened: OpenedMigration): MigrationResume | undefined;
}

const NOTHING: CopyCounts = { copied: 0, skipped: 0, failed: 0, bytesCopied: 0, bytesSettled: 0 };
/** More pages in one hand would only keep others from taking them. */
const MAX_TAKEN = 8;
const SLICE_SHARE = 0.05;
const MIN_SLICE_MS = 2_000;
const MAX_SLICE_MS = 60_000;
/** The rate is that of the last so many milliseconds. */
const RATE_WINDOW_MS = 30_000;

export function createMigrationState(carried: MigrationResume | undefined): MigrationState {
  let manifest: PlanSlice = carried?.manifest ?? { isWhole: false, pages: 0, objects: 0, bytes: 0 };
  let nextPage = carried?.nextPage ?? 0;
  const waiting: number[] = [...(carried?.waiting ?? [])];
  const open = new Map<number, CopyCounts>(
    (carried?.open ?? []).map(({ page, ...counts }) => [page, counts]),
  );
  let settled = carried?.settled ?? NOTHING;
  let sinceMs = carried?.sinceMs ?? 0;
  let lastFailure = carried?.lastFailure ?? null;
  const marks: { atMs: number; bytes: number }[] = [];

  const total = (): CopyCounts => [...open.values()].reduce(sum, settled);

  function rate(): number {
    const [first] = marks;
    const last = marks.at(-1);
    if (!first || !last || last.atMs <= first.atMs) return 0;
    return Math.round(((last.bytes - first.bytes) * 1000) / (last.atMs - first.atMs));
  }

  const table: MigrationState = {
    phase: carried?.phase ?? 'planning',
    lastFailure: () => lastFailure,

    plan(planned) {
      manifest = planned;
    },

    begin(phase, nowMs) {
      table.phase = phase;
      nextPage = 0;
      sinceMs = nowMs;
      marks.splice(0, marks.length, { atMs: nowMs, bytes: total().bytesSettled });
    },

    hasPages: () => waiting.length > 0 || nextPage < manifest.pages,

    take(hands) {
      const left = manifest.pages - nextPage + waiting.length;
      const share = Math.min(MAX_TAKEN, Math.max(1, Math.ceil(left / (2 * hands))));
      const pages = waiting.splice(0, share);
      while (pages.length < share && nextPage < manifest.pages) pages.push(nextPage++);
      return pages;
    },

    note(pages, slice, nowMs) {
      const done = new Set<number>();
      for (const { page, isDone, ...counts } of slice.pages) {
        if (isDone) done.add(page);
        if (isDone || table.phase === 'verifying') {
          open.delete(page);
          settled = sum(settled, counts);
        } else open.set(page, counts);
      }
      waiting.push(...pages.filter((page) => !done.has(page)));
      lastFailure = slice.lastFailure ?? lastFailure;
      marks.push({ atMs: nowMs, bytes: total().bytesSettled });
      while (marks.length > 2 && (marks[0]?.atMs ?? 0) < nowMs - RATE_WINDOW_MS) marks.shift();
    },

    sliceMs: (nowMs) =>
      Math.round(Math.min(MAX_SLICE_MS, Math.max(MIN_SLICE_MS, (nowMs - sinceMs) * SLICE_SHARE))),

    view() {
      const { copied, skipped, failed, bytesCopied, bytesSettled } = total();
      const bytesPerSecond = table.phase === 'copying' ? rate() : 0;
      const left = Math.max(0, manifest.bytes - bytesSettled);
      return {
        status: table.phase,
        progress: {
          objectsTotal: manifest.objects,
          objectsCopied: copied,
          objectsSkipped: skipped,
          objectsFailed: failed,
          bytesTotal: manifest.bytes,
          bytesCopied,
          bytesSettled,
        },
        bytesPerSecond,
        etaSeconds: bytesPerSecond > 0 ? Math.ceil(left / bytesPerSecond) : null,
      };
    },

    toContinueAsNew(opened) {
      if (!table.hasPages()) return undefined;
      const phase = table.phase === 'verifying' ? 'verifying' : 'copying';
      return {
        opened,
        phase,
        manifest,
        nextPage,
        waiting: [...waiting],
        settled,
        open: [...open].map(([page, counts]) => Object.assign({ page }, counts)),
        sinceMs,
        lastFailure,
      };
    },
  };
  return table;
}

function sum(a: CopyCounts, b: CopyCounts): CopyCounts {
  return {
    copied: a.copied + b.copied,
    skipped: a.skipped + b.skipped,
    failed: a.failed + b.failed,
    bytesCopied: a.bytesCopied + b.bytesCopied,
    bytesSettled: a.bytesSettled + b.bytesSettled,
  };
}
