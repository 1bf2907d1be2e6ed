import type { Manifests } from '../adapters/mongo/manifests.ts';
import type { Scans } from '../adapters/mongo/scans.ts';
import type { ListedEntry } from '../adapters/object-store/list-answers.ts';
import { SCANNED_PROVIDER } from '../domain/catalogue.ts';
import { quoteMove } from '../domain/decision/quote.ts';
import type { ObjectFailure } from '../domain/migration/object-ledger.ts';
import type { Acls } from '../domain/migration/migration.ts';
import { isKeyTooLong, targetKeyOf } from '../domain/migration/copying.ts';
import {
  addPage,
  EMPTY_MANIFEST,
  checkApproval,
  type ManifestProgress,
  type ManifestPageEntry,
  type ManifestPage,
} from '../domain/migration/manifest.ts';
import { MigrationStop } from '../domain/migration/stop.ts';
import type { PriceBook } from '../domain/price-book.ts';
import { ageBandsAsOf } from '../domain/inventory/classify.ts';
import type {
  ManifestSlice,
  MigrationInput,
  MigrationKey,
  OpenedMigration,
} from '../messages/migration.ts';
import {
  openRun,
  classifyStoreError,
  type MigrationRun,
  type MigrationRunDeps,
} from './migration-run.ts';
import { retryStore } from './retry-store.ts';
import { tryReading, tryWriting } from './preflight.ts';

export interface MigrationPlanDeps extends MigrationRunDeps {
  readonly scans: Scans;
  readonly manifests: Manifests;
  readonly priceBook: PriceBook;
  readonly sliceMs: number;
  readonly now: () => Date;
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly signal: () => AbortSignal;
  /** The number of this attempt, from 1. */
  readonly attempt: () => number;
  readonly whileBeating: <T>(work: () => Promise<T>) => Promise<T>;
}

export type MigrationPlanning = ReturnType<typeof createMigrationPlanning>;

const PAGE_KEYS = 1_000;
/** One slice works on a page at a time, so a page of very large objects holds fewer of them. */
const PAGE_BYTES = 64 * 2 ** 30;

/** The planning of a migration: store it, try the stores, list the objects, check the quote. */
export function createMigrationPlanning(deps: MigrationPlanDeps) {
  const { recommendations, migrations, manifests, priceBook, now, wait } = deps;
  const retryDeps = () => ({ wait, signal: deps.signal() });

  /** Why an object cannot be copied, where the listing shows it. */
  function blockOf(
    { recommendation }: MigrationRun,
    entry: ListedEntry,
  ): ObjectFailure | undefined {
    const { bucket, region } = recommendation;
    if (isKeyTooLong(targetKeyOf(bucket, entry.key))) return 'key_too_long';
    const sheet = priceBook.classSheet(SCANNED_PROVIDER, region, entry.storageClass);
    if (!sheet) return 'class_without_price';
    return sheet.archived ? 'needs_restore' : undefined;
  }

  function toPlanned(run: MigrationRun, listed: ListedEntry): ManifestPageEntry {
    const { key, sizeBytes, etag, lastModified, storageClass } = listed;
    const blocked = blockOf(run, listed);
    const entry = { key, sizeBytes, etag, lastModified, storageClass };
    return blocked === undefined ? entry : { ...entry, blocked };
  }

  async function listPage(run: MigrationRun, after: string | null): Promise<ManifestPage> {
    const prefix = run.recommendation.selector.prefix ?? '';
    const listed = await retryStore(retryDeps(), () =>
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
      entries.push(toPlanned(run, entry));
    }
    const isCut = last !== listed.entries.at(-1)?.key;
    return {
      after,
      next: last !== undefined && (isCut || listed.isTruncated) ? last : null,
      entries,
    };
  }

  /** Adds pages until the manifest is whole or the slice ends; at least one. */
  async function addPages(run: MigrationRun): Promise<ManifestProgress> {
    const { migrationId, asOf } = run.record;
    const ageBandOf = ageBandsAsOf(asOf);
    const endsAtMs = performance.now() + deps.sliceMs;
    let progress = (await migrations.findManifestProgress(migrationId)) ?? EMPTY_MANIFEST;
    while (!progress.isWhole) {
      const listed = await listPage(run, progress.after);
      progress = addPage(
        progress,
        await manifests.add(migrationId, progress.pages, listed),
        ageBandOf,
      );
      await migrations.saveManifestProgress(migrationId, progress);
      if (performance.now() >= endsAtMs || deps.signal().aborted) break;
    }
    return progress;
  }

  /** @throws MigrationStop `quote_exceeded` */
  function requireCovered({ recommendation }: MigrationRun, progress: ManifestProgress): void {
    const { approval, objects, bytes, region } = recommendation;
    const quote = quoteMove({
      priceBook,
      source: SCANNED_PROVIDER,
      region,
      groups: progress.groups,
      target: approval.targetProvider,
    });
    if (!quote) throw new Error('the target is the source');
    const approved = { objects, bytes, totalUsd: approval.quote.totalUsd };
    const exceeded = checkApproval(approved, progress, quote);
    if (exceeded) throw new MigrationStop('quote_exceeded', exceeded.message);
  }

  return {
    /** Stores the migration, and returns what an operator may know of it. */
    async openMigration(input: MigrationInput): Promise<OpenedMigration> {
      const recommendation = await recommendations.find(input);
      const scan = recommendation && (await deps.scans.find(recommendation));
      if (!recommendation?.approval || !scan)
        throw new MigrationStop('internal_error', 'The approval of this migration is missing.');
      const { accountId, connectionId, recommendationId, approval, selector } = recommendation;
      const { migrationId, target, approvedBy, quote, requestId } = approval;
      await migrations.open({
        migrationId,
        recommendationId,
        accountId,
        connectionId,
        asOf: scan.startedAt,
        startedAt: now(),
      });
      return {
        migrationId,
        from: `${recommendation.bucket}/${selector.prefix ?? ''}`,
        provider: target.provider,
        to: `${target.provider}:${target.bucketName}/${recommendation.bucket}/`,
        approvedBy,
        quotedUsd: quote.totalUsd,
        requestId,
      };
    },

    /** Tries both stores with the credentials and headers that the copies use. */
    async tryStores(key: MigrationKey): Promise<{ acls: Acls }> {
      const run = await openRun(deps, key);
      const { recommendation, source, target } = run;
      const { bucket, selector, approval } = recommendation;
      const prefix = selector.prefix ?? '';
      const preflight = { source, target, bucket, prefix, migrationId: key.migrationId };
      await retryStore(retryDeps(), () => tryReading(preflight)).catch((error: unknown) => {
        throw classifyStoreError(approval.source.provider, error, deps.attempt());
      });
      await retryStore(retryDeps(), () => tryWriting(preflight)).catch((error: unknown) => {
        throw classifyStoreError(approval.target.provider, error, deps.attempt());
      });
      const matter = await source.aclsMatter().catch(() => undefined);
      const acls = matter === undefined ? 'unknown' : matter ? 'not_carried' : 'none';
      await migrations.noteAcls(key.migrationId, acls);
      return { acls };
    },

    /** Lists the objects to copy; compares them with the quote once all are listed. */
    async buildManifest(key: MigrationKey): Promise<ManifestSlice> {
      const run = await openRun(deps, key);
      const { manifest } = run.record;
      if (manifest) return { isWhole: true, ...manifest };
      const progress = await deps
        .whileBeating(() => addPages(run))
        .catch((error: unknown) => {
          throw classifyStoreError(
            run.recommendation.approval.source.provider,
            error,
            deps.attempt(),
          );
        });
      const { pages, objects, bytes, isWhole } = progress;
      if (isWhole) {
        requireCovered(run, progress);
        await migrations.seal(key.migrationId, { pages, objects, bytes }, now());
      }
      return { isWhole, pages, objects, bytes };
    },
  };
}
