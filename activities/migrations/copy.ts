import { subtractCounts } from '../../domain/migrations/counts.ts';
import type { ManifestPage } from '../../domain/migrations/manifest.ts';
import type { CopySlice, MigrationRoundKey, PageSlice } from '../../messages/migration.ts';
import type { MigrationContext } from '../contexts.ts';
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
import { createSlices, type MigrationSlice } from './slice.ts';

export type MigrationCopying = ReturnType<typeof createMigrationCopying>;

interface OpenPage {
  readonly slice: MigrationSlice;
  readonly number: number;
  readonly page: ManifestPage;
  readonly writer: PageWriter;
}

type PageWork = (context: MigrationContext, open: OpenPage) => Promise<PageSlice>;

export function createMigrationCopying(context: MigrationContext) {
  const openSlice = createSlices(context);

  /** Works on one page after the other for about `sliceMs`; at least on one. */
  const processPages =
    (work: PageWork) =>
    async (
      key: MigrationRoundKey,
      pages: readonly number[],
      sliceMs: number,
    ): Promise<CopySlice> => {
      const slice = await openSlice(key, sliceMs);
      try {
        return await slice.atStores(() => workThrough(context, slice, pages, work));
      } finally {
        slice.close();
      }
    };

  return {
    copyPages: processPages(copy),
    /** The counts are changes. */
    verifyPages: processPages(verify),
  };
}

async function workThrough(
  context: MigrationContext,
  slice: MigrationSlice,
  pages: readonly number[],
  work: PageWork,
): Promise<CopySlice> {
  const { manifests, metrics, progress } = context;
  const { id } = slice.run;
  const slices: PageSlice[] = [];
  let lastFailure: string | null = null;
  for (const number of pages) {
    if (slices.length > 0 && slice.isOver()) break;
    const page = await manifests.findPage(id, number);
    if (!page) throw new Error('there is no such page in the manifest');
    const writer = await openPageWriter({ ...context, id, page: number });
    const { counts } = writer;
    try {
      slices.push(await work(context, { slice, number, page, writer }));
    } finally {
      metrics.migrated(subtractCounts(writer.counts, counts));
    }
    if (writer.counts.failed > counts.failed) lastFailure = latestFailure(writer);
    progress.report();
  }
  await manifests.sum(id);
  return { pages: slices, lastFailure };
}

async function copy(
  { manifests, now }: MigrationContext,
  { slice, number, page, writer }: OpenPage,
): Promise<PageSlice> {
  await manifests.begin(slice.run.id, number, now());
  // In this order either the end finds the page, or this call finds the end.
  await slice.requireOpen();
  const target = await lookAtTarget(slice, page, placesWithoutLine(page, writer.lines));
  await copyPage(slice.copying, { page, writer, ...target });
  const isCopied = page.entries.every((_entry, place) => writer.lines.has(place));
  const isDone =
    isCopied &&
    (await removeGone(slice, page, writer).catch((error: unknown) => {
      throw slice.classifyTargetError(error);
    }));
  return { page: number, isDone, counts: writer.counts };
}

/**
 * Compares the target with the ledger. What the listing does not show, or shows otherwise, is
 * looked at by HEAD; what is missing is copied again.
 */
async function verify(
  _context: MigrationContext,
  { slice, number, page, writer }: OpenPage,
): Promise<PageSlice> {
  const { counts } = writer;
  const target = await lookAtTarget(slice, page, [...page.entries.keys()]);
  const places = differingPlaces(writer.lines, target.present);
  const present = () => undefined;
  const migrated = await copyPage(slice.copying, { page, writer, ...target, places, present });
  const isDone = migrated === places.length;
  return { page: number, isDone, counts: subtractCounts(writer.counts, counts) };
}

/** What is at the target under the keys of some places, and what the ledgers say of them. */
async function lookAtTarget(
  slice: MigrationSlice,
  page: ManifestPage,
  places: readonly number[],
): Promise<Pick<PageCopy, 'places' | 'present' | 'histories'>> {
  const keyAt = (place: number) => entryAt(page, place).key;
  const [first = 0] = places;
  const after = first === 0 ? page.after : keyAt(first - 1);
  const keys = places.map(keyAt);
  const present = await listAtTarget(slice.copying, after, keys).catch((error: unknown) => {
    throw slice.classifyTargetError(error);
  });
  let histories: ReturnType<typeof slice.findHistories> | undefined;
  return {
    places,
    present,
    histories: () => (histories ??= slice.findHistories(after, keyAt(places.at(-1) ?? -1))),
  };
}

/** The code alone: operators read the history. */
function latestFailure({ lines }: PageWriter): string | null {
  return [...lines.values()].findLast(({ outcome }) => outcome === 'failed')?.code ?? null;
}
