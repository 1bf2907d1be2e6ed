import type { ListedEntry } from '../../adapters/object-store/list-answers.ts';
import { LIST_PRICES } from '../../domain/bill/price-factors.ts';
import { quoteMove } from '../../domain/decision/quote.ts';
import { createAgeBands } from '../../domain/inventory/classify.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import { isKeyTooLong, toTargetKey } from '../../domain/migrations/copying.ts';
import { keyAbove, openAt, type OpenKeys } from '../../domain/inventory/key-conflicts.ts';
import {
  addPage,
  checkApproval,
  EMPTY_MANIFEST,
  pageBytesFor,
  passKeys,
  type GoneObject,
  type ManifestPage,
  type ManifestPageEntry,
  type ManifestProgress,
} from '../../domain/migrations/manifest.ts';
import type { KeyHistory } from '../../domain/migrations/key-history.ts';
import { isMigrated, type ObjectFailure } from '../../domain/migrations/object-ledger.ts';
import { checkRound } from '../../domain/migrations/rounds.ts';
import { MigrationStopError } from '../../domain/migrations/stop.ts';
import type { PriceBook } from '../../domain/pricing/price-book.ts';
import { keyPrefixOf } from '../../domain/decision/types.ts';
import type { MigrationContext } from '../contexts.ts';
import { openHistories } from './key-histories.ts';
import { callsOf, type MigrationRun } from './run.ts';
import { requireOrder } from './source-listing.ts';
import { retryCall } from '../../adapters/object-store/call-bounds.ts';

const PAGE_KEYS = 1_000;

/**
 * Lists the source and adds pages until the manifest is whole or the slice ends; at least one step.
 *
 * @throws StoreError
 */
export async function addPages(
  context: MigrationContext,
  run: MigrationRun,
): Promise<ManifestProgress> {
  const { migrations, manifests, slices } = context;
  const { minBillableSizes } = context.priceBook;
  const signal = slices.signal();
  const { id, key } = run;
  const toAgeBand = createAgeBands(run.record.asOf);
  const compare = run.request ? await createComparison(context, run) : undefined;
  const list = createListing(context, run);
  const endsAtMs = performance.now() + slices.maxMs;
  let progress = (await migrations.findManifestProgress(key)) ?? EMPTY_MANIFEST;
  while (!progress.isWhole) {
    const { pages, after, openKeys = [] } = progress;
    const page =
      (await manifests.findPage(id, pages)) ??
      (await toPage(context, run, { ...(await list(after)), openKeys }, compare));
    const isEmpty = page.entries.length === 0 && (page.removable ?? []).length === 0;
    progress = isEmpty
      ? passKeys(progress, page)
      : addPage(progress, await manifests.addPage(id, pages, page), toAgeBand, minBillableSizes);
    await migrations.saveManifestProgress(key, progress);
    if (performance.now() >= endsAtMs || signal.aborted) break;
  }
  return progress;
}

/**
 * Compares the whole manifest with what a person has approved. @returns its cost in USD, by the
 * rules of the quote
 *
 * @throws MigrationStop `quote_exceeded`, `migration_too_large`
 */
export function requireCovered(
  priceBook: PriceBook,
  { recommendation, request }: MigrationRun,
  progress: ManifestProgress,
): number {
  const { approval, objects, bytes, region, priceFactors = LIST_PRICES } = recommendation;
  const quote = quoteMove({
    priceBook,
    source: approval.source.provider,
    region,
    groups: progress.groups,
    target: approval.target,
    priceFactors,
    freeEgressGb: recommendation.freeEgressGb ?? 0,
  });
  if (!quote) throw new Error('the target is the source');
  const approved = { objects, bytes, totalUsd: approval.quote.totalUsd };
  const exceeded = request
    ? checkRound(request, progress.groups, quote)
    : checkApproval(approved, progress, quote);
  if (exceeded) throw new MigrationStopError(exceeded.code, exceeded.message);
  return quote.totalUsd;
}

interface ListedKeys extends Pick<ManifestPage, 'after' | 'next'> {
  readonly listed: readonly ListedEntry[];
}

/** The same, where planning has come to them. */
interface PlannedKeys extends ListedKeys {
  readonly openKeys: OpenKeys;
}

/** Lists the keys of a page. What an answer holds beyond it is for the next page. */
function createListing(
  context: MigrationContext,
  { source, recommendation: { selector, bytes } }: MigrationRun,
): (after: string | null) => Promise<ListedKeys> {
  const prefix = keyPrefixOf(selector);
  const pageBytes = pageBytesFor(bytes);
  const calls = callsOf(context);
  let left: (Pick<ListedKeys, 'after'> & Awaited<ReturnType<typeof source.list>>) | undefined;
  return async (after) => {
    const { entries, isTruncated } =
      left?.after === after
        ? left
        : await retryCall(calls, () => source.list({ prefix, after, maxKeys: PAGE_KEYS }));
    const count = countUpTo(pageBytes, entries);
    const listed = entries.slice(0, count);
    const isLast = count === entries.length && !isTruncated;
    const next = isLast ? null : (listed.at(-1)?.key ?? null);
    left =
      count < entries.length
        ? { after: next, entries: entries.slice(count), isTruncated }
        : undefined;
    return { after, next, listed };
  };
}

/** The number of entries that fit in a page; at least one. */
function countUpTo(pageBytes: number, entries: readonly ListedEntry[]): number {
  let bytes = 0;
  const count = entries.findIndex(({ sizeBytes }) => {
    if (bytes >= pageBytes) return true;
    bytes += sizeBytes;
    return false;
  });
  return count === -1 ? entries.length : count;
}

/**
 * The page of listed keys. The first round leaves out objects that were modified after the scan's
 * start; a later one those that earlier rounds have copied and that are as they were.
 */
async function toPage(
  { priceBook }: MigrationContext,
  run: MigrationRun,
  keys: PlannedKeys,
  compare: Compare | undefined,
): Promise<ManifestPage> {
  const { after, next, listed, openKeys } = keys;
  if (compare) {
    requireOrder(listed, after);
    return await compare(keys);
  }
  const asOf = run.record.asOf.toISOString();
  const planned = listed
    .filter(({ lastModified }) => lastModified <= asOf)
    .map((entry) => ({ entry: toPageEntry(priceBook, run, entry), isThere: false }));
  return { after, next, ...withKeyConflicts(run, openKeys, planned) };
}

interface PlannedEntry {
  readonly entry: ManifestPageEntry;
  /** It is at the target as it is. */
  readonly isUnchanged?: boolean;
  /** The target has it, or an earlier copy of it. */
  readonly isThere: boolean;
}

/**
 * The entries to copy. Where the target cannot hold an object below another, the first in key order
 * is copied, and those below it are blocked, but for what is at the target already.
 */
function withKeyConflicts(
  { capabilities }: MigrationRun,
  openKeys: OpenKeys,
  planned: readonly PlannedEntry[],
): Pick<ManifestPage, 'entries' | 'openKeys'> {
  const entries: ManifestPageEntry[] = [];
  const isHeld = capabilities.keyAndFolder !== false;
  let open = openKeys;
  for (const { entry, isThere, isUnchanged = false } of planned) {
    if (!isHeld) open = openAt(open, entry.key);
    const isBlocked = entry.blocked !== undefined || isThere;
    const isBelow = !isHeld && !isBlocked && keyAbove(open, entry.key) !== undefined;
    const toCopy = isBelow ? { ...entry, blocked: 'key_conflict' as const } : entry;
    if (!isHeld && (isThere || toCopy.blocked === undefined)) open = [...open, entry.key];
    if (!isUnchanged) entries.push(toCopy);
  }
  return open.length > 0 ? { entries, openKeys: open } : { entries };
}

type Compare = (keys: PlannedKeys) => Promise<ManifestPage>;

/**
 * Compares what is listed with the ledgers, and with what a release check after the earlier rounds
 * has found lost at the target.
 */
async function createComparison(context: MigrationContext, run: MigrationRun): Promise<Compare> {
  const { releases, priceBook } = context;
  const findHistories = await openHistories(context, run.recommendation, run.record.round);
  const release = await releases.findRelease(run.key);
  const { releaseId = '', checkedAt = null } = release ?? {};
  const removeAtMost = run.request?.removeAtMost ?? 0;
  return async ({ after, next: listedTo, listed, openKeys }) => {
    const { upTo: next, byKey } = await findHistories({ after, upTo: listedTo });
    const lost = new Set(
      checkedAt === null
        ? []
        : (await releases.lostAtTarget(releaseId, after, next)).map(({ key }) => key),
    );
    const now = listed.filter(({ key }) => next === null || compareKeys(key, next) <= 0);
    const isUnchanged = ({ key, etag }: ListedEntry) => {
      const latest = byKey.get(key)?.latest;
      if (!latest || !isMigrated(latest) || latest.sourceEtag !== etag) return false;
      // What was copied again since the check is not lost.
      return !lost.has(key) || (checkedAt !== null && latest.at > checkedAt.toISOString());
    };
    const planned = now.map((listedEntry) => {
      const held = byKey.get(listedEntry.key)?.held ?? null;
      const entry = toPageEntry(priceBook, run, listedEntry, held?.bytes);
      return { entry, isUnchanged: isUnchanged(listedEntry), isThere: held !== null };
    });
    const { entries, ...open } = withKeyConflicts(run, openKeys, planned);
    const atSource = new Set(now.map(({ key }) => key));
    const onlyAtTarget = [...byKey]
      .filter(([key, { held }]) => held !== null && !atSource.has(key))
      .toSorted(([a], [b]) => compareKeys(a, b));
    const unreleased = onlyAtTarget.filter(([, { isReleased }]) => !isReleased);
    return {
      after,
      next,
      entries,
      ...open,
      unchanged: now.length - entries.length,
      gone: unreleased.length,
      released: onlyAtTarget.length - unreleased.length,
      removable: removeAtMost > 0 ? unreleased.flatMap(([, history]) => toGone(history)) : [],
    };
  };
}

/** Only what the migration itself has written, and no other one relies on, may be removed. */
export function toGone({ written, isRemovable, isReleased }: KeyHistory): GoneObject[] {
  if (!written || !isRemovable || isReleased) return [];
  const { key, bytes, sourceEtag, targetEtag } = written;
  return [{ key, bytes, sourceEtag, targetEtag }];
}

function toPageEntry(
  priceBook: PriceBook,
  run: MigrationRun,
  listed: ListedEntry,
  replacesBytes?: number,
): ManifestPageEntry {
  const { key, sizeBytes, etag, lastModified, storageClass } = listed;
  const blocked = findBlock(priceBook, run, listed);
  return {
    key,
    sizeBytes,
    etag,
    lastModified,
    storageClass,
    ...(blocked === undefined ? {} : { blocked }),
    ...(replacesBytes === undefined ? {} : { replacesBytes }),
  };
}

function findBlock(
  priceBook: PriceBook,
  { recommendation }: MigrationRun,
  { key, sizeBytes, storageClass }: ListedEntry,
): ObjectFailure | undefined {
  const { approval, region } = recommendation;
  if (isKeyTooLong(toTargetKey(approval.keyPrefix, key))) return 'key_too_long';
  const { objectBytes } = priceBook.catalogue.entry(approval.targetProvider).limits;
  if (sizeBytes > objectBytes) return 'object_too_large';
  const sheet = priceBook.classSheet(approval.source.provider, region, storageClass);
  if (!sheet) return 'class_without_price';
  return sheet.archived ? 'needs_restore' : undefined;
}
