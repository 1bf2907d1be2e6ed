import type { CopyCounts, CopySlice, PageSlice } from '../workflows/messages.ts';
import type { WorkFigures } from './figures.ts';
import type { MigrationRunKey } from './migration-run.ts';
import { createSlices, type MigrationSlice, type MigrationSliceDeps } from './migration-slice.ts';
import { copyPage, differingPlaces, unsettledPlaces } from './page-copy.ts';
import { findAtTarget } from './page-target.ts';
import { openPageWriter, type PageWriter } from './page-writer.ts';
import type { ManifestPage } from '../domain/migration/manifest.ts';

export interface MigrationCopyDeps extends MigrationSliceDeps {
  readonly figures: WorkFigures;
  /** Tells at short intervals that the work goes on. */
  readonly whileBeating: <T>(work: () => Promise<T>) => Promise<T>;
}

export type MigrationCopying = ReturnType<typeof createMigrationCopying>;

/** A page that a slice has come to. */
interface OpenPage {
  readonly slice: MigrationSlice;
  readonly number: number;
  readonly page: ManifestPage;
  readonly writer: PageWriter;
}

/** How a migration copies, and how it makes sure of what was copied. */
export function createMigrationCopying(deps: MigrationCopyDeps) {
  const { manifests, ledger, now } = deps;
  const openSlice = createSlices(deps);

  /** One page after the other, for about so long; at least one. */
  async function goThrough(
    key: MigrationRunKey,
    pages: readonly number[],
    sliceMs: number,
    work: (open: OpenPage) => Promise<PageSlice>,
  ): Promise<CopySlice> {
    const { migrationId } = key;
    const slice = await openSlice(key, sliceMs);
    const slices: PageSlice[] = [];
    let lastFailure: string | null = null;
    for (const number of pages) {
      if (slices.length > 0 && slice.isOver()) break;
      const page = await manifests.find(migrationId, number);
      if (!page) throw new Error('there is no such page in the manifest');
      const writer = await openPageWriter({ ledger, manifests, migrationId, page: number, now });
      const before = countsOf(writer);
      try {
        slices.push(await work({ slice, number, page, writer }));
      } finally {
        deps.figures.settled(changeOf(before, countsOf(writer)));
      }
      if (countsOf(writer).failed > before.failed) lastFailure = latestFailure(writer);
    }
    return { pages: slices, lastFailure };
  }

  const present = (
    { slice, page }: Pick<OpenPage, 'slice' | 'page'>,
    places: readonly number[],
  ): ReturnType<typeof findAtTarget> =>
    findAtTarget(slice.copying, page, places).catch((error: unknown) => {
      throw slice.targetVerdict(error);
    });

  /** Copies what the ledger does not tell of yet. */
  async function copyOn({ slice, number, page, writer }: OpenPage): Promise<PageSlice> {
    const isFirstHand = await manifests.begin(key(slice), number, now());
    const places = unsettledPlaces(page, writer.lines);
    const found = await present({ slice, page }, places);
    await copyPage(slice.copying, { page, writer, isFirstHand, places, present: found });
    const isDone = writer.lines.size === page.entries.length;
    return { page: number, isDone, ...countsOf(writer) };
  }

  /** Holds the target against the ledger; what is not there as it was written is copied once more. */
  async function verify({ slice, number, page, writer }: OpenPage): Promise<PageSlice> {
    const before = countsOf(writer);
    const found = await present({ slice, page }, [...page.entries.keys()]);
    const places = differingPlaces(writer.lines, found);
    const nothing = () => undefined;
    const settled = await copyPage(slice.copying, {
      page,
      writer,
      isFirstHand: false,
      places,
      present: nothing,
    });
    const isDone = settled === places.length;
    return { page: number, isDone, ...changeOf(before, countsOf(writer)) };
  }

  return {
    copyPages: (run: MigrationRunKey, pages: readonly number[], sliceMs: number) =>
      deps.whileBeating(() => goThrough(run, pages, sliceMs, copyOn)),

    /** The figures are changes. */
    verifyPages: (run: MigrationRunKey, pages: readonly number[], sliceMs: number) =>
      deps.whileBeating(() => goThrough(run, pages, sliceMs, verify)),
  };
}

const key = ({ copying }: MigrationSlice): string => copying.migrationId;

function countsOf(writer: PageWriter): CopyCounts {
  const { copied, skipped, failed, bytesCopied, bytesSettled } = writer.progress();
  return { copied, skipped, failed, bytesCopied, bytesSettled };
}

function changeOf(before: CopyCounts, after: CopyCounts): CopyCounts {
  return {
    copied: after.copied - before.copied,
    skipped: after.skipped - before.skipped,
    failed: after.failed - before.failed,
    bytesCopied: after.bytesCopied - before.bytesCopied,
    bytesSettled: after.bytesSettled - before.bytesSettled,
  };
}

/** Its code alone: the history is read by operators. */
function latestFailure({ lines }: PageWriter): string | null {
  return [...lines.values()].findLast(({ outcome }) => outcome === 'failed')?.code ?? null;
}
