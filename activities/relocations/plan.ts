import { FILE_CLASS } from '../../domain/relocations/estimate.ts';
import { selectionOf, type RelocationRecord } from '../../domain/relocations/relocation.ts';
import type { MigrationContext } from '../contexts.ts';

const PAGE_FILES = 1_000;
/** Writes the active files of the place into pages of a manifest, in the order of their ids. */
export async function plan(context: MigrationContext, stored: RelocationRecord): Promise<void> {
  const { slices } = context;
  const endsAtMs = performance.now() + slices.maxMs;
  let next: RelocationRecord | undefined = stored;
  while (next && performance.now() < endsAtMs && !slices.signal().aborted)
    next = await planPage(context, next);
}

/** @returns undefined once all files are planned, or another worker has come further */
async function planPage(
  { files, manifests, relocations, progress }: MigrationContext,
  relocation: RelocationRecord,
): Promise<RelocationRecord | undefined> {
  const { relocationId, accountId, from, after, pages } = relocation;
  const range = { after, limit: PAGE_FILES };
  const listed = await files.listActiveAt(accountId, from, selectionOf(relocation), range);
  const last = listed.at(-1)?.fileId;
  if (last === undefined) {
    await relocations.beginCopying(relocationId);
    return undefined;
  }
  const page = await manifests.addPage(relocationId, pages, {
    after,
    next: last,
    entries: listed.map(({ objectKey: key, sizeBytes, createdAt }) => {
      const lastModified = createdAt.toISOString();
      return { key, sizeBytes, etag: '', lastModified, storageClass: FILE_CLASS };
    }),
  });
  const planned = {
    after: page.next,
    pages: pages + 1,
    files: relocation.files + page.entries.length,
    bytes: page.entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, relocation.bytes),
  };
  progress.report();
  const isSaved = await relocations.savePlanned(relocationId, pages, planned);
  return isSaved ? { ...relocation, ...planned } : undefined;
}
