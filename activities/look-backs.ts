import type { CloudAccounts } from '../adapters/cloud-account/cloud-accounts.ts';
import { withRoleErrors } from '../adapters/cloud-account/role-errors.ts';
import type { Connections } from '../adapters/mongo/connections.ts';
import type { Manifests } from '../adapters/mongo/manifests.ts';
import type { Migrations } from '../adapters/mongo/migrations.ts';
import type { Recommendations } from '../adapters/mongo/recommendations.ts';
import type { ScanBuckets } from '../adapters/mongo/scan-buckets.ts';
import type { LookBackWork, ScanLookBacks } from '../adapters/mongo/scan-look-backs.ts';
import type { Scans } from '../adapters/mongo/scans.ts';
import { AppError } from '../domain/errors.ts';
import { isEnded, type Manifest, type MigrationRecord } from '../domain/migration/migration.ts';
import type { PriceBook } from '../domain/price-book.ts';
import { ageBandsAsOf } from '../domain/scan/classify.ts';
import { createRequestMeter } from '../domain/scan/request-meter.ts';
import { addRequests, NOTHING_YET, type ScanRequests } from '../domain/scan/scan.ts';
import type { LookBackSlice } from '../workflows/messages.ts';
import type { SliceDeps } from './bucket-slice.ts';
import { createCarriedSearch } from './carried-search.ts';
import { lookBackOn } from './look-back-slice.ts';
import { MAX_ATTEMPTS, type ScanRun } from './scans.ts';

export interface LookBackDeps {
  readonly connections: Connections;
  readonly scans: Scans;
  readonly scanBuckets: ScanBuckets;
  readonly scanLookBacks: ScanLookBacks;
  readonly recommendations: Pick<Recommendations, 'find'>;
  readonly migrations: Pick<Migrations, 'ofConnection'>;
  readonly manifests: Pick<Manifests, 'carried'>;
  readonly cloudAccounts: CloudAccounts;
  readonly priceBook: PriceBook;
  readonly slices: SliceDeps;
  /** How often this slice has been tried, the first time included. */
  readonly attempt: () => number;
  /** Tells at short intervals that the work goes on. */
  readonly whileBeating: <T>(work: () => Promise<T>) => Promise<T>;
}

export type LookBackActivities = ReturnType<typeof createLookBackActivities>;

/** A migration on whose manifest a scan has begun to look back. */
interface Look {
  readonly work: LookBackWork;
  readonly manifest: Manifest;
}

/** Looks whether the source still holds what the migrations of its connection have copied. */
export function createLookBackActivities(deps: LookBackDeps) {
  const { connections, scans, scanBuckets, scanLookBacks, manifests, priceBook } = deps;

  /** The migrations that have a manifest, the oldest first, as far as each was looked at. */
  async function openAll({ scanId, connectionId }: ScanRun): Promise<Look[]> {
    const begun = new Map(
      (await scanLookBacks.ofScan(scanId)).map((work) => [work.migrationId, work]),
    );
    const looks: Look[] = [];
    for (const migration of await deps.migrations.ofConnection(connectionId)) {
      const { migrationId, manifest } = migration;
      const work = manifest && (begun.get(migrationId) ?? (await begin(scanId, migration)));
      if (work) looks.push({ work, manifest });
    }
    return looks;
  }

  async function begin(
    scanId: string,
    { migrationId, recommendationId, accountId, status }: MigrationRecord,
  ): Promise<LookBackWork | undefined> {
    const recommended = await deps.recommendations.find({ recommendationId, accountId });
    if (!recommended) return undefined;
    const { bucket, region, selector } = recommended;
    return scanLookBacks.open(scanId, {
      migrationId,
      recommendationId,
      bucket,
      region,
      prefix: selector.prefix,
      isFinal: isEnded(status),
    });
  }

  /** The prefixes of a bucket; null where the scan has not read it, `unread` where it could not. */
  async function keptPrefixes(
    scanId: string,
    { bucket, region }: LookBackWork,
  ): Promise<ReadonlySet<string> | null | 'unread'> {
    const plan = (await scans.findPlan(scanId)) ?? [];
    if (!plan.some((planned) => planned.name === bucket && planned.region === region)) return null;
    const { inventory } = await scanBuckets.open(scanId, bucket);
    if (!inventory || inventory.error) return 'unread';
    return new Set(inventory.groups.map(({ prefix }) => prefix));
  }

  async function lookOn(
    key: ScanRun,
    { work: before, manifest }: Look,
    earlier: readonly Look[],
    maxMs: number,
  ): Promise<LookBackWork> {
    const kept = await keptPrefixes(key.scanId, before);
    if (kept === 'unread') return save(key, { ...before, outcome: 'unknown' });
    const connection = await connections.find(key);
    if (!connection) throw new AppError('connection_not_found');
    const meter = createRequestMeter(priceBook);
    const { bucket: name, region } = before;
    const terms = {
      bucket: deps.cloudAccounts.open(connection, meter.count).bucket({ name, region }),
      manifests,
      pages: manifest.pages,
      earlier: earlier
        .filter((other) => mayShare(other.work, before))
        .map((other) =>
          createCarriedSearch(manifests, other.work.migrationId, other.manifest.pages),
        ),
      kept,
      ageBandOf: ageBandsAsOf(new Date(key.startedAt)),
    };
    const { work, failure } = await withRoleErrors(() =>
      lookBackOn(terms, before, { ...deps.slices, maxMs }),
    );
    const isLeft = failure !== null && deps.attempt() >= MAX_ATTEMPTS;
    const after: LookBackWork = {
      ...work,
      ...(isLeft ? { after: null, outcome: 'unknown' } : {}),
      requests: addRequests(before.requests, meter.read()),
    };
    const saved = await save(key, after);
    if (failure && !isLeft) throw failure;
    return saved;
  }

  /** Where somebody else was faster, his work counts. */
  async function save({ scanId }: ScanRun, work: LookBackWork): Promise<LookBackWork> {
    const isSaved = await scanLookBacks.save(scanId, work);
    return isSaved ? work : await scanLookBacks.open(scanId, work);
  }

  return {
    /** Goes on for a while, one migration after the other. The figures are those of all of them. */
    async lookBack(key: ScanRun): Promise<LookBackSlice> {
      const endsAtMs = performance.now() + deps.slices.maxMs;
      const looks = await deps.whileBeating(async () => {
        const looks = await openAll(key);
        for (const [at, look] of looks.entries()) {
          if (look.work.outcome !== null) continue;
          const leftMs = endsAtMs - performance.now();
          if (leftMs <= 0) break;
          const work = await lookOn(key, look, looks.slice(0, at), leftMs);
          looks[at] = { ...look, work };
          // The next one is to have as many attempts.
          if (work.outcome !== 'compared') break;
        }
        return looks;
      });
      const requests = looks.reduce<ScanRequests>(
        (sum, { work }) => addRequests(sum, work.requests),
        NOTHING_YET,
      );
      const { list, other, costUsd } = requests;
      return { done: looks.every(({ work }) => work.outcome !== null), list, other, costUsd };
    },
  };
}

/** Whether an earlier migration may have carried objects of a later one, and was compared itself. */
function mayShare(earlier: LookBackWork, later: LookBackWork): boolean {
  return (
    earlier.outcome === 'compared' &&
    earlier.bucket === later.bucket &&
    (earlier.prefix === null || later.prefix === null || earlier.prefix === later.prefix)
  );
}
