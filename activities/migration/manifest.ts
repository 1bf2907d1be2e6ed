import type { Manifests } from '../../adapters/mongo/manifests.ts';
import type { ListedEntry } from '../../adapters/object-store/list-answers.ts';
import { SCANNED_PROVIDER } from '../../domain/provider/catalogue.ts';
import { LIST_PRICES } from '../../domain/bill/price-factors.ts';
import { quoteMove } from '../../domain/decision/quote.ts';
import { createAgeBands } from '../../domain/inventory/classify.ts';
import { isKeyTooLong, toTargetKey } from '../../domain/migration/copying.ts';
import {
  addPage,
  checkApproval,
  EMPTY_MANIFEST,
  type ManifestPage,
  type ManifestPageEntry,
  type ManifestProgress,
} from '../../domain/migration/manifest.ts';
import type { ObjectFailure } from '../../domain/migration/object-ledger.ts';
import { MigrationStop } from '../../domain/migration/stop.ts';
import type { PriceBook } from '../../domain/pricing/price-book.ts';
import type { MigrationRun, MigrationRunDeps } from './run.ts';
import { retryCall, type RetryCallOptions } from '../../adapters/object-store/call-bounds.ts';

export interface ManifestDeps
  extends Pick<MigrationRunDeps, 'migrations'>, Pick<RetryCallOptions, 'signal' | 'wait'> {
  readonly manifests: Manifests;
  readonly priceBook: PriceBook;
  readonly sliceMs: number;
}

const PAGE_KEYS = 1_000;
/** One slice works on a page at a time, so a page of very large objects holds fewer of them. */
const PAGE_BYTES = 64 * 2 ** 30;

/**
 * Lists the source and adds pages until the manifest is whole or the slice ends; at least one.
 *
 * @throws StoreError
 */
export async function addPages(deps: ManifestDeps, run: MigrationRun): Promise<ManifestProgress> {
  const { migrations, manifests, sliceMs, signal } = deps;
  const { migrationId, asOf } = run.record;
  const toAgeBand = createAgeBands(asOf);
  const endsAtMs = performance.now() + sliceMs;
  let progress = (await migrations.findManifestProgress(migrationId)) ?? EMPTY_MANIFEST;
  while (!progress.isWhole) {
    const listed = await listPage(deps, run, progress.after);
    const page = await manifests.add(migrationId, progress.pages, listed);
    progress = addPage(progress, page, toAgeBand);
    await migrations.saveManifestProgress(migrationId, progress);
    if (performance.now() >= endsAtMs || signal.aborted) break;
  }
  return progress;
}

/** Compares the whole manifest with the approved quote. @throws MigrationStop `quote_exceeded` */
export function requireCovered(
  priceBook: PriceBook,
  { recommendation }: MigrationRun,
  progress: ManifestProgress,
): void {
  const { approval, objects, bytes, region, priceFactors = LIST_PRICES } = recommendation;
  const quote = quoteMove({
    priceBook,
    source: SCANNED_PROVIDER,
    region,
    groups: progress.groups,
    target: approval.targetProvider,
    priceFactors,
  });
  if (!quote) throw new Error('the target is the source');
  const approved = { objects, bytes, totalUsd: approval.quote.totalUsd };
  const exceeded = checkApproval(approved, progress, quote);
  if (exceeded) throw new MigrationStop('quote_exceeded', exceeded.message);
}

/** Lists the objects behind a key; objects modified after the scan's start are left out. */
async function listPage(
  deps: ManifestDeps,
  run: MigrationRun,
  after: string | null,
): Promise<ManifestPage> {
  const prefix = run.recommendation.selector.prefix ?? '';
  const listed = await retryCall(deps, () =>
    run.source.list({ prefix, after, maxKeys: PAGE_KEYS }),
  );
  const asOf = run.record.asOf.toISOString();
  const entries: ManifestPageEntry[] = [];
  let bytes = 0;
  let last: string | undefined;
  for (const entry of listed.entries) {
    if (bytes >= PAGE_BYTES) break;
    last = entry.key;
    if (entry.lastModified > asOf) continue;
    bytes += entry.sizeBytes;
    entries.push(toPageEntry(deps.priceBook, run, entry));
  }
  const isCut = last !== listed.entries.at(-1)?.key;
  return {
    after,
    next: last !== undefined && (isCut || listed.isTruncated) ? last : null,
    entries,
  };
}

function toPageEntry(
  priceBook: PriceBook,
  run: MigrationRun,
  listed: ListedEntry,
): ManifestPageEntry {
  const { key, sizeBytes, etag, lastModified, storageClass } = listed;
  const blocked = findBlock(priceBook, run, listed);
  const entry = { key, sizeBytes, etag, lastModified, storageClass };
  return blocked === undefined ? entry : { ...entry, blocked };
}

/** Why an object cannot be copied, if the listing shows it. */
function findBlock(
  priceBook: PriceBook,
  { recommendation }: MigrationRun,
  { key, sizeBytes, storageClass }: ListedEntry,
): ObjectFailure | undefined {
  const { approval, region } = recommendation;
  if (isKeyTooLong(toTargetKey(approval.keyPrefix, key))) return 'key_too_long';
  if (sizeBytes > priceBook.maxObjectBytes(approval.targetProvider)) return 'object_too_large';
  const sheet = priceBook.classSheet(SCANNED_PROVIDER, region, storageClass);
  if (!sheet) return 'class_without_price';
  return sheet.archived ? 'needs_restore' : undefined;
}
