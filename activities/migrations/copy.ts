import { subtractCounts } from '../../domain/migrations/counts.ts';
import type { CopySlice, PageSlice, MigrationRoundKey } from '../../messages/migration.ts';
import type { WorkMetrics } from '../common/progress.ts';
import { createSlices, type MigrationSlice, type MigrationSliceDeps } from './slice.ts';
import {
  copyPage,
  differingPlaces,
  entryAt,
  placesWithoutLine,
  type PageCopy,
} from './page-copy.ts';
import { listAtTarget } from './page-target.ts';
import { openPageWriter, type PageWriter } from './page-writer.ts';
import { removeGone } from './remove-gone.ts';
import type { ManifestPage } from '../../domain/migrations/manifest.ts';

export interface MigrationCopyDeps extends MigrationSliceDeps {
  readonly metrics: WorkMetrics;
}

export type MigrationCopying = ReturnType<typeof createMigrationCopying>;

/** A page that a slice works on. */
interface PageToCopy {
  readonly slice: MigrationSlice;
  readonly number: number;
  readonly page: ManifestPage;
  readonly writer: PageWriter;
}

/** The copying and the verification of a migration. */
export function createMigrationCopying(deps: MigrationCopyDeps) {
  const { manifests, ledger, now } = deps;
  const openSlice = createSlices(deps);

  /** Works on one page after the other for about `sliceMs`; at least on one. */
  async function processPages(
    key: MigrationRoundKey,
    pages: readonly number[],
    sliceMs: number,
    work: (open: PageToCopy) => Promise<PageSlice>,
  ): Promise<CopySlice> {
    const slice = await openSlice(key, sliceMs);
    try {
      return await slice.atStores(() => workThrough(slice, pages, work));
    } finally {
      slice.close();
    }
  }

  async function workThrough(
    slice: MigrationSlice,
    pages: readonly number[],
    work: (open: PageToCopy) => Promise<PageSlice>,
  ): Promise<CopySlice> {
    const { id } = slice.run;
    const slices: PageSlice[] = [];
    let lastFailure: string | null = null;
    for (const number of pages) {
      if (slices.length > 0 && slice.isOver()) break;
      const page = await manifests.findPage(id, number);
      if (!page) throw new Error('there is no such page in the manifest');
      const writer = await openPageWriter({ ledger, manifests, id, page: number, now });
      const before = writer.counts();
      try {
        slices.push(await work({ slice, number, page, writer }));
      } finally {
        deps.metrics.migrated(subtractCounts(writer.counts(), before));
      }
      if (writer.counts().failed > before.failed) lastFailure = latestFailure(writer);
      deps.progress.report();
    }
    await manifests.sum(id);
    return { pages: slices, lastFailure };
  }

  /** What is at the target under the keys of some places, and what the ledgers say of them. */
  async function lookAtTarget(
    { slice, page }: Pick<PageToCopy, 'slice' | 'page'>,
    places: readonly number[],
  ): Promise<Pick<PageCopy, 'places' | 'present' | 'histories'>> {
    const keyAt = (place: number) => entryAt(page, place).key;
    const first = places[0] ?? 0;
    const before = first === 0 ? page.after : keyAt(first - 1);
    const keys = places.map(keyAt);
    const present = await listAtTarget(slice.copying, { before, keys }).catch((error: unknown) => {
      throw slice.classifyTargetError(error);
    });
    let histories: ReturnType<typeof slice.findHistories> | undefined;
    return {
      places,
      present,
      histories: () => (histories ??= slice.findHistories(before, keyAt(places.at(-1) ?? -1))),
    };
  }

  /** Copies the objects of a page that the ledger does not hold. */
  async function copy({ slice, number, page, writer }: PageToCopy): Promise<PageSlice> {
    await manifests.begin(slice.run.id, number, now());
    // In this order either the end finds the page, or this call finds the end.
    await slice.requireOpen();
    const found = await lookAtTarget({ slice, page }, placesWithoutLine(page, writer.lines));
    await copyPage(slice.copying, { page, writer, ...found });
    const isCopied = page.entries.every((_entry, place) => writer.lines.has(place));
    const isDone =
      isCopied &&
      (await removeGone(slice, page, writer).catch((error: unknown) => {
        throw slice.classifyTargetError(error);
      }));
    return { page: number, isDone, counts: writer.counts() };
  }

  /**
   * Compares the target with the ledger. What the listing does not show, or shows otherwise, is looked at by HEAD; what
   * is missing is copied again.
   */
  async function verify({ slice, number, page, writer }: PageToCopy): Promise<PageSlice> {
    const before = writer.counts();
    const found = await lookAtTarget({ slice, page }, [...page.entries.keys()]);
    const places = differingPlaces(writer.lines, found.present);
    const present = () => undefined;
    const migrated = await copyPage(slice.copying, { page, writer, ...found, places, present });
    const isDone = migrated === places.length;
    return { page: number, isDone, counts: subtractCounts(writer.counts(), before) };
  }

  return {
    copyPages: (run: MigrationRoundKey, pages: readonly number[], sliceMs: number) =>
      processPages(run, pages, sliceMs, copy),

    /** The counts are changes. */
    verifyPages: (run: MigrationRoundKey, pages: readonly number[], sliceMs: number) =>
      processPages(run, pages, sliceMs, verify),
  };
}

/** The code alone: operators read the history. */
function latestFailure({ lines }: PageWriter): string | null {
  return [...lines.values()].findLast(({ outcome }) => outcome === 'failed')?.code ?? null;
}
