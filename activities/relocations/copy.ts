import { StoreError } from '../../adapters/object-store/errors.ts';
import { measuredAt, placeKey } from '../../domain/accounts/account.ts';
import { fileIdOf } from '../../domain/common/file-keys.ts';
import type { ManifestPage } from '../../domain/migrations/manifest.ts';
import type { LedgerLine, ManifestEntry } from '../../domain/migrations/object-ledger.ts';
import { MigrationDelayError, MigrationStopError } from '../../domain/migrations/stop.ts';
import type { RelocationRecord } from '../../domain/relocations/relocation.ts';
import { completedRelocation } from '../../domain/webhooks/event.ts';
import { countRelocated } from '../../operations/relocations/relocations.ts';
import type { MigrationContext } from '../contexts.ts';
import { abortNoted } from '../migrations/end.ts';
import { ledgerLine, type MigrateObject } from '../migrations/migrate-object.ts';
import {
  copyPage,
  entryAt,
  placesWithoutLine,
  type PageCopyDeps,
} from '../migrations/page-copy.ts';
import { listAtTarget } from '../migrations/page-target.ts';
import { createCopying, shareRunning, startsUntil, type Copying } from '../migrations/slice.ts';
import { watchMigration, type MigrationWatch } from '../migrations/watch.ts';
import { oldObjectOf, removeCopy } from './old-objects.ts';
import { asMoved, createRelocateFile } from './relocate-file.ts';
import {
  classify,
  endOf,
  oldObjectDeps,
  openPage,
  openRun,
  saveDrain,
  type OpenedPage,
  type RelocationRun,
} from './run.ts';

/** What no reads of a relocation are counted against: its objects are as large as recorded. */
const UNCOUNTED = { begin: async () => ({ add: () => undefined, close: () => undefined }) };
/** Each file's failure counts by itself. */
const NO_WINDOW = { note: () => undefined, isOver: () => false };

/** Copies and moves the files of one page after the other. */
export async function copy(context: MigrationContext, stored: RelocationRecord): Promise<void> {
  const { relocations } = context;
  const run = await openRun(context, stored);
  const isOpen = async () => {
    const latest = await relocations.findRun(stored);
    return latest?.status === 'copying' && latest.stopping === null;
  };
  if (await workPages(context, stored, isOpen, (page, work) => copyFiles(context, run, page, work)))
    await endCopied(context, stored);
}

export interface PageWork {
  readonly watch: MigrationWatch;
  readonly isOver: () => boolean;
}

/**
 * Works on one page after the other, at least on one, until the slice is over or it is to stop.
 *
 * @param work whether its page is done
 * @returns whether all pages are
 */
export async function workPages(
  context: MigrationContext,
  stored: Pick<RelocationRecord, 'page' | 'pages' | 'to'>,
  isOpen: () => Promise<boolean>,
  work: (page: number, work: PageWork) => Promise<boolean>,
): Promise<boolean> {
  const { progress, slices } = context;
  const endsAtMs = performance.now() + slices.maxMs;
  const watch = watchMigration(isOpen, slices.signal());
  const isOver = () => watch.signal.aborted || performance.now() >= endsAtMs;
  try {
    for (let { page } = stored; page < stored.pages; page += 1) {
      if (page > stored.page && isOver()) return false;
      if (!(await work(page, { watch, isOver }))) return false;
      progress.report();
    }
  } catch (error) {
    // The next slice ends it.
    if (!(await isOpen())) return false;
    throw classify(context, stored, error);
  } finally {
    watch.close();
  }
  return true;
}

/** What copies need whose objects are all planned beforehand. */
function createPlannedCopying(
  context: MigrationContext,
  copying: Copying,
  { watch, isOver }: PageWork,
): PageCopyDeps {
  return {
    ...createCopying(context, copying, watch, shareRunning()),
    failures: NO_WINDOW,
    sourceReads: UNCOUNTED,
    mayStart: startsUntil(isOver, watch.signal),
  };
}

async function copyFiles(
  context: MigrationContext,
  run: RelocationRun,
  number: number,
  work: PageWork,
): Promise<boolean> {
  const { account, relocation, target } = run;
  return await copyPlanned(context, relocation.relocationId, number, work, {
    copying: () => toCopying(run),
    toMigrate: (copying) =>
      createRelocateFile({
        ...context,
        account,
        relocation,
        target,
        signal: copying.signal,
        copying,
        times: context,
      }),
    save: (opened) => savePage(context, relocation, number, opened),
  });
}

interface PlannedCopy {
  copying(page: ManifestPage): Copying;
  toMigrate(copying: PageCopyDeps): MigrateObject;
  /** However much of the page is copied. */
  save(opened: OpenedPage): Promise<void>;
}

/** Copies the objects of a page. @returns whether each of them has an outcome */
export async function copyPlanned(
  context: MigrationContext,
  id: string,
  number: number,
  work: PageWork,
  { copying: toCopying, toMigrate, save }: PlannedCopy,
): Promise<boolean> {
  const { manifests, now } = context;
  await manifests.begin(id, number, now());
  await work.watch.requireOpen();
  const { page, writer } = await openPage(context, id, number);
  const copying = createPlannedCopying(context, toCopying(page), work);
  const places = placesWithoutLine(page, writer.lines);
  const keys = places.map((place) => entryAt(page, place).key);
  const present = await listAtTarget(copying, null, keys);
  const histories = async () => new Map();
  try {
    await copyPage(copying, { page, writer, places, present, histories }, toMigrate(copying));
  } finally {
    await save({ page, writer });
  }
  return isDone({ page, writer });
}

function isDone({ page, writer }: OpenedPage): boolean {
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

/** Stores how far the relocation has come with the lines of a page. */
async function savePage(
  context: MigrationContext,
  { relocationId, quote, bytes, files }: RelocationRecord,
  number: number,
  { page, writer }: OpenedPage,
): Promise<void> {
  const { manifests, relocations } = context;
  await saveDrain(context, relocationId, number, writer);
  await manifests.sum(relocationId);
  const { counts } = await countRelocated(manifests, relocationId);
  const { copied, bytesCopied } = counts;
  const share = bytes > 0 ? bytesCopied / bytes : copied / Math.max(1, files);
  const moved = [...writer.lines.values()].flatMap(({ movedAt }) => movedAt ?? []).sort();
  const last = moved.at(-1);
  await relocations.saveCopied(relocationId, isDone({ page, writer }) ? number + 1 : number, {
    costUsd: quote.totalUsd * share,
    ...(last === undefined ? {} : { movedAt: new Date(last) }),
  });
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
  const { counts } = await countRelocated(manifests, relocationId);
  const status = endOf(counts);
  const completedAt = now();
  const event = completedRelocation(relocation, status, counts, completedAt);
  await relocations.endCopying(relocationId, { status, completedAt, error: null }, [event]);
}

/** Ends a relocation that was cancelled or has failed, once no copy lies unmoved. */
export async function endStopped(
  context: MigrationContext,
  relocation: RelocationRecord,
): Promise<void> {
  const { manifests, relocations, now } = context;
  const { relocationId, stopping, page, pages } = relocation;
  if (!stopping) return;
  const run = await openRun(context, relocation).catch(ifGone);
  // Pages are copied one after the other: no file of a later page was begun.
  if (run && page < pages) await settlePage(context, run, page);
  const { counts } = await countRelocated(manifests, relocationId);
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
  const { relocationId } = run.relocation;
  const { page, writer } = await openPage(context, relocationId, number);
  for (const [place, entry] of page.entries.entries()) {
    if (!writer.named.has(place) || writer.lines.has(place)) continue;
    const line = await settleFile(context, run, entry);
    if (line) writer.note({ ...line, place });
  }
  await writer.flush();
  await savePage(context, run.relocation, number, { page, writer });
  await abortNoted(context, relocationId, run.target).catch(ifRefused);
}

/**
 * The line of a file that was moved, or whose copy the target does not give away: that one waits
 * as an old object. Undefined: no copy is left.
 */
async function settleFile(
  context: MigrationContext,
  run: RelocationRun,
  entry: ManifestEntry,
): Promise<LedgerLine | undefined> {
  const { files, now } = context;
  const { relocation } = run;
  const { relocationId, accountId, to } = relocation;
  const fileId = fileIdOf(entry.key);
  const isRemoved = await removeCopy(oldObjectDeps(context, run), fileId, false).catch(ifRefused);
  if (isRemoved === false)
    throw new MigrationDelayError('A copy could not be removed yet.', undefined);
  let file = await files.findFile({ fileId, accountId });
  if (isRemoved === undefined && file && !oldObjectOf(file, relocation)) {
    const unknown = { location: to, relocationId, etag: null, sha256: null, deleteAt: now() };
    await files.addOldObject(file, unknown);
    file = await files.findFile({ fileId, accountId });
  }
  const old = file && oldObjectOf(file, relocation);
  if (!old) return undefined;
  const isMoved = old.placeKey !== placeKey(to);
  return ledgerLine({ keyPrefix: '', now }, entry, {
    attempts: 1,
    ...(isMoved
      ? { outcome: 'copied', ...asMoved(context, old) }
      : { outcome: 'failed', code: 'target_refused', deleteAt: old.deleteAt.toISOString() }),
  });
}

/** Undefined where a place is gone: it does not keep the relocation open. */
function ifGone(error: unknown): undefined {
  if (!(error instanceof MigrationStopError)) throw error;
}

/** Undefined where a store refuses for good. */
function ifRefused(error: unknown): undefined {
  if (!(error instanceof StoreError) || error.isTransient) throw error;
}
