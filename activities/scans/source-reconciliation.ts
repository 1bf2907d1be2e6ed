import {
  findConnection,
  openSource,
  withSourceErrors,
  type SourceDeps,
} from '../../operations/connections/source.ts';
import type { Connections } from '../../adapters/mongo/connections/connections.ts';
import type { Manifests } from '../../adapters/mongo/migrations/manifests.ts';
import type { Migrations } from '../../adapters/mongo/migrations/migrations.ts';
import type { Recommendations } from '../../adapters/mongo/recommendations/recommendations.ts';
import type { ScanBuckets } from '../../adapters/mongo/scans/scan-buckets.ts';
import type {
  SourceReconciliation,
  SourceReconciliations,
} from '../../adapters/mongo/scans/source-reconciliations.ts';
import type { Scans } from '../../adapters/mongo/scans/scans.ts';
import {
  isEnded,
  type EndedRound,
  type Manifest,
  type MigrationRecord,
} from '../../domain/migrations/migration.ts';
import { endedRound, roundId } from '../../domain/migrations/rounds.ts';
import { sourceAccount, type Connection } from '../../domain/connections/connection.ts';
import type { PriceBook } from '../../domain/pricing/price-book.ts';
import { createAgeBands } from '../../domain/inventory/classify.ts';
import { createRequestMeter } from '../../domain/scans/request-meter.ts';
import { addRequests, NOTHING_YET, type ScanRequests } from '../../domain/scans/scan.ts';
import type { ReconciliationProgress, ScanRun } from '../../messages/scan.ts';
import type { SliceDeps } from './bucket-slice.ts';
import { createMigratedObjectSearch } from './migrated-object-search.ts';
import { reconcileSlice, type SeenBucket } from './reconcile-source.ts';
import { guardedAccount, MAX_ATTEMPTS } from './scans.ts';
import type { StoreGuard } from '../common/store-guard.ts';

export interface SourceReconciliationDeps extends SourceDeps {
  readonly connections: Connections;
  readonly scans: Scans;
  readonly scanBuckets: ScanBuckets;
  readonly sourceReconciliations: SourceReconciliations;
  readonly recommendations: Pick<Recommendations, 'findApproved'>;
  readonly migrations: Pick<Migrations, 'ofSource'>;
  readonly manifests: Pick<Manifests, 'migrated'>;
  readonly priceBook: PriceBook;
  readonly slices: SliceDeps;
  /** The number of this attempt, from 1. */
  readonly attempt: () => number;
  readonly guard: StoreGuard;
}

export type SourceReconciliationActivities = ReturnType<
  typeof createSourceReconciliationActivities
>;

/** A round of a migration whose source a scan reconciles. */
interface OpenReconciliation {
  readonly work: SourceReconciliation;
  readonly manifest: Manifest;
}

/** Checks whether the source still holds what migrations have copied out of the cloud account. */
export function createSourceReconciliationActivities(deps: SourceReconciliationDeps) {
  return {
    /** Reconciles one migration after the other for one slice. The numbers are totals. */
    async reconcileSource(key: ScanRun): Promise<ReconciliationProgress> {
      const reconciliations = await reconcileForSlice(deps, key);
      const { list, other, costUsd } = reconciliations.reduce<ScanRequests>(
        (sum, { work }) => addRequests(sum, work.requests),
        NOTHING_YET,
      );
      const done = reconciliations.every(({ work }) => work.outcome !== null);
      return { done, list, other, costUsd };
    },
  };
}

async function reconcileForSlice(
  deps: SourceReconciliationDeps,
  key: ScanRun,
): Promise<readonly OpenReconciliation[]> {
  const endsAtMs = performance.now() + deps.slices.maxMs;
  const connection = await findConnection(deps, key);
  const opened = await openAll(deps, key.scanId, connection);
  for (const [at, each] of opened.entries()) {
    if (each.work.outcome !== null) continue;
    const leftMs = endsAtMs - performance.now();
    if (leftMs <= 0) break;
    const work = await continueReconciliation(
      deps,
      key,
      connection,
      each,
      opened.slice(0, at),
      leftMs,
    );
    opened[at] = { ...each, work };
    // The next migration gets the full number of attempts.
    if (work.outcome !== 'compared') break;
  }
  return opened;
}

/** The rounds of migrations that have a manifest, the oldest first, with their reconciliation so far. */
async function openAll(
  deps: SourceReconciliationDeps,
  scanId: string,
  connection: Connection,
): Promise<OpenReconciliation[]> {
  const stored = await deps.sourceReconciliations.ofScan(scanId);
  const known = new Map(stored.map((work) => [roundId(work), work]));
  const opened: OpenReconciliation[] = [];
  for (const migration of await deps.migrations.ofSource(sourceAccount(connection)))
    for (const round of [...migration.earlierRounds, endedRound(migration)]) {
      const { number, manifest } = round;
      const { migrationId } = migration;
      if (!manifest) continue;
      const work =
        known.get(roundId({ migrationId, round: number })) ??
        (await open(deps, scanId, migration, round));
      if (work) opened.push({ work, manifest });
    }
  return opened;
}

async function open(
  { recommendations, sourceReconciliations }: SourceReconciliationDeps,
  scanId: string,
  { migrationId, accountId }: MigrationRecord,
  { number, status, counts }: EndedRound,
): Promise<SourceReconciliation | undefined> {
  const recommended = await recommendations.findApproved({ migrationId, accountId });
  if (!recommended) return undefined;
  const { bucket, region, selector } = recommended;
  return sourceReconciliations.open(scanId, {
    migrationId,
    round: number,
    bucket,
    region,
    prefix: selector.prefix,
    isFinal: isEnded(status),
    bytesMigrated: counts.bytesMigrated,
  });
}

async function continueReconciliation(
  deps: SourceReconciliationDeps,
  key: ScanRun,
  connection: Connection,
  { work: before, manifest }: OpenReconciliation,
  earlier: readonly OpenReconciliation[],
  maxMs: number,
): Promise<SourceReconciliation> {
  const { manifests, priceBook } = deps;
  const { provider } = connection;
  const seen = await findSeen(deps, key.scanId, before);
  if (seen === 'unread') return save(deps, key, { ...before, outcome: 'unknown' });
  const meter = createRequestMeter(priceBook, provider);
  const { bucket: name, region } = before;
  const context = {
    bucket: (await openSource(deps, connection, meter.count)).bucket({ name, region }),
    manifests,
    pages: manifest.pages,
    earlier: earlier
      .filter((other) => mayShare(other.work, before))
      .map((other) =>
        createMigratedObjectSearch(manifests, roundId(other.work), other.manifest.pages),
      ),
    seen,
    ageBandOf: createAgeBands(new Date(key.startedAt)),
    minSizes: priceBook.minBillableSizes,
  };
  const { work, failure } = await deps.guard(
    guardedAccount(key),
    () =>
      withSourceErrors(deps, connection, () =>
        reconcileSlice(context, before, { ...deps.slices, maxMs }),
      ),
    (slice) => slice.failure,
  );
  const isGivenUp = failure !== null && deps.attempt() >= MAX_ATTEMPTS;
  const saved = await save(deps, key, {
    ...work,
    ...(isGivenUp ? { after: null, outcome: 'unknown' } : {}),
    requests: addRequests(before.requests, meter.read()),
  });
  if (failure && !isGivenUp) throw failure;
  return saved;
}

/** What the scan has read of a bucket; null where it does not cover it, `unread` where it failed to. */
async function findSeen(
  { scans, scanBuckets }: SourceReconciliationDeps,
  scanId: string,
  { bucket, region }: SourceReconciliation,
): Promise<SeenBucket | null | 'unread'> {
  const listed = (await scans.findBucketList(scanId)) ?? [];
  if (!listed.some((each) => each.name === bucket && each.region === region)) return null;
  const { inventory } = await scanBuckets.open(scanId, bucket);
  if (!inventory || inventory.error) return 'unread';
  const prefixes = new Set(inventory.groups.map(({ prefix }) => prefix));
  return { prefixes, keepsVersions: inventory.keepsVersions };
}

/** On a revision conflict the stored result is kept. */
async function save(
  { sourceReconciliations }: SourceReconciliationDeps,
  { scanId }: ScanRun,
  work: SourceReconciliation,
): Promise<SourceReconciliation> {
  const isSaved = await sourceReconciliations.save(scanId, work);
  return isSaved ? work : await sourceReconciliations.open(scanId, work);
}

/** Whether an earlier migration was compared and may have copied objects of a later one. */
function mayShare(earlier: SourceReconciliation, later: SourceReconciliation): boolean {
  return (
    earlier.outcome === 'compared' &&
    earlier.bucket === later.bucket &&
    (earlier.prefix === null || later.prefix === null || earlier.prefix === later.prefix)
  );
}
