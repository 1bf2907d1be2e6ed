import { findConnection, openSource } from '../../operations/connections/source.ts';
import type { SourceReconciliation } from '../../adapters/mongo/scans/source-reconciliations.ts';
import {
  isEnded,
  type EndedRound,
  type Manifest,
  type MigrationRecord,
} from '../../domain/migrations/migration.ts';
import { endedRound, roundId } from '../../domain/migrations/rounds.ts';
import { sourceAccount, type Connection } from '../../domain/connections/connection.ts';
import { createAgeBands } from '../../domain/inventory/classify.ts';
import { createRequestMeter } from '../../domain/scans/request-meter.ts';
import { addRequests, NOTHING_YET, type ScanRequests } from '../../domain/scans/scan.ts';
import type { ReconciliationProgress, ScanRun } from '../../messages/scan.ts';
import type { ScanContext } from '../contexts.ts';
import { createMigratedObjectSearch } from './migrated-object-search.ts';
import { reconcileSlice, type SeenBucket } from './reconcile-source.ts';
import { MAX_ATTEMPTS } from '../../adapters/cloud-account/bucket-slice.ts';
import { workAtSource } from './scans.ts';

export type SourceReconciliationActivities = ReturnType<
  typeof createSourceReconciliationActivities
>;

interface OpenReconciliation {
  readonly work: SourceReconciliation;
  readonly manifest: Manifest;
}

/** Checks whether the source still holds what migrations have copied out of the cloud account. */
export function createSourceReconciliationActivities(context: ScanContext) {
  return {
    /** Reconciles one migration after the other for one slice. The numbers are totals. */
    async reconcileSource(key: ScanRun): Promise<ReconciliationProgress> {
      const reconciliations = await reconcileForSlice(context, key);
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
  context: ScanContext,
  key: ScanRun,
): Promise<readonly OpenReconciliation[]> {
  const endsAtMs = performance.now() + context.slices.maxMs;
  const connection = await findConnection(context, key);
  const opened = await openAll(context, key.scanId, connection);
  for (const [at, each] of opened.entries()) {
    if (each.work.outcome !== null) continue;
    const leftMs = endsAtMs - performance.now();
    if (leftMs <= 0) break;
    const work = await continueReconciliation(
      context,
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

/** The rounds that have a manifest, the oldest first, with their reconciliation so far. */
async function openAll(
  context: ScanContext,
  scanId: string,
  connection: Connection,
): Promise<OpenReconciliation[]> {
  const stored = await context.sourceReconciliations.ofScan(scanId);
  const byRound = new Map(stored.map((work) => [roundId(work), work]));
  const opened: OpenReconciliation[] = [];
  for (const migration of await context.migrations.ofSource(sourceAccount(connection)))
    for (const round of [...migration.earlierRounds, endedRound(migration)]) {
      const { number, manifest } = round;
      const { migrationId } = migration;
      if (!manifest) continue;
      const work =
        byRound.get(roundId({ migrationId, round: number })) ??
        (await open(context, scanId, migration, round));
      if (work) opened.push({ work, manifest });
    }
  return opened;
}

async function open(
  { recommendations, sourceReconciliations }: ScanContext,
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
  context: ScanContext,
  key: ScanRun,
  connection: Connection,
  { work: stored, manifest }: OpenReconciliation,
  earlier: readonly OpenReconciliation[],
  maxMs: number,
): Promise<SourceReconciliation> {
  const { manifests, priceBook } = context;
  const { provider } = connection;
  const seen = await findSeen(context, key.scanId, stored);
  if (seen === 'unread') return save(context, key, { ...stored, outcome: 'unknown' });
  const meter = createRequestMeter(priceBook, provider);
  const { bucket: name, region } = stored;
  const reconciliation = {
    bucket: (await openSource(context, connection, meter.count)).bucket({ name, region }),
    manifests,
    pages: manifest.pages,
    earlier: earlier
      .filter((other) => mayShare(other.work, stored))
      .map((other) =>
        createMigratedObjectSearch(manifests, roundId(other.work), other.manifest.pages),
      ),
    seen,
    ageBandOf: createAgeBands(new Date(key.startedAt)),
    minSizes: priceBook.minBillableSizes,
  };
  const { work, failure } = await workAtSource(
    context,
    key,
    connection,
    () => reconcileSlice(reconciliation, stored, { ...context.slices, maxMs }),
    (slice) => slice.failure,
  );
  const isGivenUp = failure !== null && context.attempt() >= MAX_ATTEMPTS;
  const saved = await save(context, key, {
    ...work,
    ...(isGivenUp ? { after: null, outcome: 'unknown' } : {}),
    requests: addRequests(stored.requests, meter.read()),
  });
  if (failure && !isGivenUp) throw failure;
  return saved;
}

/** What the scan has read of a bucket; null: it does not cover it; `unread`: it failed to. */
async function findSeen(
  { scans, scanBuckets }: ScanContext,
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
  { sourceReconciliations }: ScanContext,
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
