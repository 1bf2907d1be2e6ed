import type { PlacedLine } from '../../adapters/mongo/migrations/object-ledger.ts';
import type { RelocationKey } from '../../adapters/mongo/relocations/relocations.ts';
import { isPlaceGone } from '../../adapters/object-store/account-stores.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { measuredAt, type Account } from '../../domain/accounts/account.ts';
import { fileIdOf } from '../../domain/common/file-keys.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { NO_COUNTS, type MigrationCounts } from '../../domain/migrations/counts.ts';
import type { ManifestPage } from '../../domain/migrations/manifest.ts';
import type { MigrationError } from '../../domain/migrations/migration.ts';
import { MigrationStopError } from '../../domain/migrations/stop.ts';
import { FILE_CLASS } from '../../domain/relocations/estimate.ts';
import {
  isRunning,
  selectionOf,
  type RelocationRecord,
} from '../../domain/relocations/relocation.ts';
import { completedRelocation } from '../../domain/webhooks/event.ts';
import type { RelocationSlice } from '../../messages/relocation.ts';
import type { MigrationContext } from '../contexts.ts';
import { copyPage, placesWithoutLine } from '../migrations/page-copy.ts';
import { listAtTarget } from '../migrations/page-target.ts';
import { openPageWriter, type PageWriter } from '../migrations/page-writer.ts';
import { classifyStoreError } from '../migrations/run.ts';
import { createCopying } from '../migrations/slice.ts';
import { watchMigration } from '../migrations/watch.ts';
import { deleteOldObject, oldObjectAt, removeCopy, type OldObjectDeps } from './old-objects.ts';
import { createRelocateFile } from './relocate-file.ts';

export type RelocationActivities = ReturnType<typeof createRelocationActivities>;

/** A relocation with the stores of its places. */
interface RelocationRun {
  readonly account: Account;
  readonly relocation: RelocationRecord;
  readonly source: ObjectStore;
  readonly target: ObjectStore;
}

const PAGE_FILES = 1_000;
/** The wait for a file whose own delete, or the delete of another worker, has not ended. */
const LOOK_AGAIN_SECONDS = 10;
/** What no reads of a relocation are counted against: its objects are as large as recorded. */
const UNCOUNTED = { begin: async () => ({ add: () => undefined, close: () => undefined }) };
/** Each file's failure counts by itself. */
const NO_WINDOW = { note: () => undefined, isOver: () => false };

/** A relocation, slice by slice: all that a slice needs to know is stored. */
export function createRelocationActivities(context: MigrationContext) {
  const { relocations } = context;
  return {
    /** Plans, copies or drains for about `maxMs`, as far as the relocation has come. */
    async relocate(key: RelocationKey): Promise<RelocationSlice> {
      const relocation = await relocations.findRelocation(key);
      if (!relocation)
        throw new MigrationStopError('internal_error', 'There is no such relocation.');
      const waitMs = await workOn(context, relocation);
      const latest = await relocations.findRelocation(key);
      return await toSlice(context, latest ?? relocation, waitMs);
    },

    /** Copies no further file: the next slice ends the relocation. */
    async stopRelocation(key: RelocationKey, error: MigrationError): Promise<void> {
      await relocations.stop(key, { status: 'failed', error });
    },
  };
}

async function toSlice(
  { manifests }: MigrationContext,
  { relocationId, status, files }: RelocationRecord,
  waitMs: number | undefined,
): Promise<RelocationSlice> {
  const counts = await countsOf(manifests, relocationId);
  const { copied: moved, failed } = counts;
  return { status, files, moved, failed, isSettled: waitMs === undefined, waitMs: waitMs ?? 0 };
}

/** @returns how long nothing is due; undefined: nothing is left to do */
async function workOn(
  context: MigrationContext,
  relocation: RelocationRecord,
): Promise<number | undefined> {
  if (!isRunning(relocation)) return await drain(context, relocation);
  if (relocation.stopping) await endStopped(context, relocation);
  else if (relocation.status === 'planning') await plan(context, relocation);
  else await copy(context, relocation);
  return 0;
}

async function openRun(
  { accounts, stores }: MigrationContext,
  relocation: RelocationRecord,
): Promise<RelocationRun> {
  const account = await accounts.findAccount(relocation.accountId);
  if (!account) throw new MigrationStopError('internal_error', 'The account does not exist.');
  try {
    const source = await stores.at(account, relocation.from);
    return { account, relocation, source, target: await stores.at(account, relocation.to) };
  } catch (error) {
    if (isPlaceGone(error))
      throw new MigrationStopError('provider_not_configured', error.message, error);
    throw error;
  }
}

/** Writes the active files of the place into pages of a manifest, in the order of their ids. */
async function plan(context: MigrationContext, stored: RelocationRecord): Promise<void> {
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

/** Copies and moves the files of one page after the other. */
async function copy(context: MigrationContext, stored: RelocationRecord): Promise<void> {
  const { relocations, manifests, progress, slices } = context;
  const { relocationId, pages } = stored;
  const run = await openRun(context, stored);
  const endsAtMs = performance.now() + slices.maxMs;
  const isOpen = async () => {
    const latest = await relocations.findRelocation(stored);
    return latest?.status === 'copying' && latest.stopping === null;
  };
  const watch = watchMigration(isOpen, slices.signal());
  const isOver = () => watch.signal.aborted || performance.now() >= endsAtMs;
  try {
    for (let page = stored.page; page < pages; page += 1) {
      if (page > stored.page && isOver()) return;
      const isDone = await copyFiles(context, run, page, watch, isOver);
      await manifests.sum(relocationId);
      const next = isDone ? page + 1 : page;
      await saveCopied(context, stored, next);
      if (!isDone) return;
      progress.report();
    }
  } catch (error) {
    // The next slice ends it.
    if (!(await isOpen())) return;
    throw classify(context, stored, error);
  } finally {
    watch.close();
  }
  await endCopied(context, stored);
}

type Watch = ReturnType<typeof watchMigration>;

/** @returns whether every file of the page has an outcome */
async function copyFiles(
  context: MigrationContext,
  run: RelocationRun,
  number: number,
  watch: Watch,
  isOver: () => boolean,
): Promise<boolean> {
  const { manifests, now } = context;
  const { account, relocation, target } = run;
  const { relocationId } = relocation;
  await manifests.begin(relocationId, number, now());
  await watch.requireOpen();
  const { page, writer } = await openPage(context, relocationId, number);
  let hasStarted = false;
  const mayStart = () => {
    if (hasStarted && isOver()) return false;
    hasStarted = true;
    return !watch.signal.aborted;
  };
  const copying = {
    ...createCopying(context, toCopying(run), watch, (_side, check) => check()),
    failures: NO_WINDOW,
    sourceReads: UNCOUNTED,
    mayStart,
  };
  const places = placesWithoutLine(page, writer.lines);
  const keys = places.map((place) => page.entries[place]?.key ?? '');
  const present = await listAtTarget(copying, null, keys);
  const signal = watch.signal;
  const relocateFile = createRelocateFile({
    ...context,
    account,
    relocation,
    target,
    signal,
    copying,
    times: context,
  });
  const histories = async () => new Map();
  try {
    await copyPage(copying, { page, writer, places, present, histories }, relocateFile);
  } finally {
    await saveDrain(context, relocationId, number, writer);
  }
  return page.entries.every((_entry, place) => writer.lines.has(place));
}

function toCopying({ account, relocation, source, target }: RelocationRun) {
  const { relocationId: migrationId, from, to } = relocation;
  return {
    migrationId,
    source,
    target,
    providers: { source: from.provider, target: to.provider },
    keyPrefix: '',
    sourcePrefix: '',
    capabilities: measuredAt(account, to),
    maxGrowthBytes: 0,
  };
}

async function openPage(
  context: MigrationContext,
  id: string,
  number: number,
): Promise<{ readonly page: ManifestPage; readonly writer: PageWriter }> {
  const page = await context.manifests.findPage(id, number);
  if (!page) throw new Error('there is no such page in the manifest');
  return { page, writer: await openPageWriter({ ...context, id, page: number }) };
}

/** When the first old object of the page is due. */
async function saveDrain(
  { manifests }: MigrationContext,
  id: string,
  number: number,
  { lines }: PageWriter,
): Promise<void> {
  const times = [...lines.values()].flatMap(({ deleteAt }) => deleteAt ?? []).sort();
  const [first] = times;
  await manifests.saveDrain(id, number, first === undefined ? undefined : new Date(first));
}

async function saveCopied(
  { manifests, relocations, now }: MigrationContext,
  { relocationId, quote, bytes, files, movedAt }: RelocationRecord,
  page: number,
): Promise<void> {
  const { copied, bytesCopied } = await countsOf(manifests, relocationId);
  const share = bytes > 0 ? bytesCopied / bytes : copied / Math.max(1, files);
  const costUsd = quote.totalUsd * share;
  const moved = copied > 0 ? now() : movedAt;
  await relocations.saveCopied(relocationId, page, { costUsd, movedAt: moved });
}

async function endCopied(context: MigrationContext, relocation: RelocationRecord): Promise<void> {
  const { manifests, relocations, now } = context;
  const { relocationId } = relocation;
  if (await manifests.nextDrain(relocationId)) {
    await relocations.endCopying(
      relocationId,
      { status: 'draining', completedAt: null, error: null },
      [],
    );
    return;
  }
  const counts = await countsOf(manifests, relocationId);
  const status = endOf(counts);
  const completedAt = now();
  const event = completedRelocation(relocation, status, counts, completedAt);
  await relocations.endCopying(relocationId, { status, completedAt, error: null }, [event]);
}

/** Ends a relocation that was cancelled or has failed, once no copy lies unmoved. */
async function endStopped(context: MigrationContext, relocation: RelocationRecord): Promise<void> {
  const { manifests, relocations, now } = context;
  const { relocationId, stopping, page, pages } = relocation;
  if (!stopping) return;
  // A place that refuses does not keep the relocation open: what lies there is reported by its line.
  const run = await openRun(context, relocation).catch(() => undefined);
  if (run)
    for (let number = page; number < pages; number += 1)
      await settlePage(context, run, number).catch((error: unknown) => {
        if (!(error instanceof StoreError) || error.isTransient) throw error;
      });
  const counts = await countsOf(manifests, relocationId);
  const completedAt = now();
  const { status, error } = stopping;
  const event = completedRelocation(relocation, status, counts, completedAt);
  await relocations.endCopying(relocationId, { status, error, completedAt }, [event]);
}

/** Removes the copies of a page that no file was moved to, and writes the lines of those moved. */
async function settlePage(
  context: MigrationContext,
  run: RelocationRun,
  number: number,
): Promise<void> {
  const { relocation } = run;
  const { relocationId, accountId, from } = relocation;
  const { page, writer } = await openPage(context, relocationId, number);
  const deps = oldObjectDeps(context, run);
  for (const [place, entry] of page.entries.entries()) {
    if (!writer.named.has(place) || writer.lines.has(place)) continue;
    const fileId = fileIdOf(entry.key);
    if (!(await removeCopy(deps, fileId, false)))
      throw new MigrationStopError('internal_error', 'A copy could not be removed.');
    const file = await context.files.findFile({ fileId, accountId });
    const old = file && oldObjectAt(file, from);
    if (!old || old.relocationId !== relocationId) continue;
    const at = context.now().toISOString();
    writer.note({
      place,
      key: entry.key,
      targetKey: entry.key,
      bytes: entry.sizeBytes,
      sourceEtag: old.etag,
      sha256: null,
      targetEtag: null,
      outcome: 'copied',
      attempts: 1,
      at,
      notCarried: [],
      movedAt: at,
      deleteAt: old.deleteAt.toISOString(),
    });
  }
  await writer.flush();
  await saveDrain(context, relocationId, number, writer);
  const { target } = run;
  for (const { targetKey, uploadId } of await context.migrationUploads.ofMigration(relocationId)) {
    await target.abortUpload(targetKey, uploadId);
    await context.migrationUploads.remove(relocationId, uploadId);
  }
}

/** Deletes the old objects that are due. @returns how long none is due; undefined: none is left */
async function drain(
  context: MigrationContext,
  relocation: RelocationRecord,
): Promise<number | undefined> {
  const { manifests, relocations, slices, now, progress } = context;
  const { relocationId, status } = relocation;
  const endsAtMs = performance.now() + slices.maxMs;
  let run: RelocationRun | undefined;
  for (;;) {
    const next = await manifests.nextDrain(relocationId);
    if (!next) break;
    const waitMs = next.drainAt.getTime() - now().getTime();
    if (waitMs > 0) return waitMs;
    if (run && (performance.now() >= endsAtMs || slices.signal().aborted)) return 0;
    run ??= await openRun(context, relocation);
    await drainPage(context, run, next.page).catch((error: unknown) => {
      throw classify(context, relocation, error);
    });
    progress.report();
  }
  if (status === 'draining') {
    const counts = await countsOf(manifests, relocationId);
    const end = endOf(counts);
    const completedAt = now();
    const event = completedRelocation(relocation, end, counts, completedAt);
    await relocations.complete(relocationId, end, completedAt, [event]);
  }
  await relocations.settle(relocationId);
  return undefined;
}

async function drainPage(
  context: MigrationContext,
  run: RelocationRun,
  number: number,
): Promise<void> {
  const { now } = context;
  const { relocationId } = run.relocation;
  const { writer } = await openPage(context, relocationId, number);
  const nowText = now().toISOString();
  try {
    for (const line of writer.lines.values()) {
      if (line.deleteAt === undefined || line.deleteAt > nowText) continue;
      writer.note(await drainLine(context, run, line));
      context.progress.report();
    }
  } finally {
    await writer.flush();
    await saveDrain(context, relocationId, number, writer);
  }
}

/** The line of a moved file after a try to delete its old object. */
async function drainLine(
  context: MigrationContext,
  run: RelocationRun,
  line: PlacedLine,
): Promise<PlacedLine> {
  const { files, now } = context;
  const { accountId, from } = run.relocation;
  const { deleteAt: _, ...settled } = line;
  const later = {
    ...line,
    deleteAt: addSeconds(now(), LOOK_AGAIN_SECONDS).toISOString(),
  };
  const file = await files.findFile({ fileId: fileIdOf(line.key), accountId });
  const old = file && oldObjectAt(file, from);
  // Its own delete has reached every place, or an earlier worker died before the line.
  if (!old || file.status === 'deleted')
    return { ...settled, sourceDeletedAt: (file?.deletedAt ?? now()).toISOString() };
  // A delete that has stopped keeps its objects until it is resumed.
  if (file.error) return settled;
  if (file.status !== 'active') return later;
  switch (await deleteOldObject(oldObjectDeps(context, run), file, old, run.source)) {
    case 'deleted':
      return { ...settled, sourceDeletedAt: now().toISOString() };
    case 'changed':
      return { ...settled, code: 'old_object_changed' };
    case 'busy':
      return later;
  }
}

function oldObjectDeps(
  { files, now, slices }: MigrationContext,
  { account, relocation, target }: RelocationRun,
): OldObjectDeps {
  return { files, now, account, relocation, target, signal: slices.signal() };
}

function classify(context: MigrationContext, { to }: RelocationRecord, error: unknown): unknown {
  return classifyStoreError(context, to.provider, error);
}

function endOf({ failed }: MigrationCounts): 'completed' | 'completed_with_failures' {
  return failed > 0 ? 'completed_with_failures' : 'completed';
}

async function countsOf(
  manifests: MigrationContext['manifests'],
  id: string,
): Promise<MigrationCounts> {
  return (await manifests.confirmed([id])).get(id)?.counts ?? NO_COUNTS;
}
