import type { CloudAccounts } from '../adapters/cloud-account/cloud-accounts.ts';
import { withRoleErrors } from '../adapters/cloud-account/role-errors.ts';
import type { Accounts } from '../adapters/mongo/accounts.ts';
import type { Connections } from '../adapters/mongo/connections.ts';
import type { Migrations } from '../adapters/mongo/migrations.ts';
import type { BucketWork, ScanBuckets } from '../adapters/mongo/scan-buckets.ts';
import type { ScanQuota } from '../adapters/mongo/scan-quota.ts';
import type { Scans } from '../adapters/mongo/scans.ts';
import { AppError } from '../domain/errors.ts';
import type { Plans } from '../domain/plan.ts';
import type { PriceBook } from '../domain/price-book.ts';
import type { Connection } from '../domain/scan/connection.ts';
import { createRequestMeter } from '../domain/scan/request-meter.ts';
import { addRequests, type ScanFailure } from '../domain/scan/scan.ts';
import { monthOf } from '../domain/time.ts';
import { compareKeys } from '../domain/scan/key-order.ts';
import type { ScanInput } from '../workflows/messages.ts';
import type { BucketSlice, ScanPlan } from '../workflows/scan-table.ts';
import { giveUp, readSlice, type SliceDeps } from './bucket-slice.ts';
import type { WorkFigures } from './figures.ts';

export interface ScanActivityDeps {
  readonly accounts: Accounts;
  readonly connections: Connections;
  readonly scans: Scans;
  readonly scanBuckets: ScanBuckets;
  readonly scanQuota: ScanQuota;
  readonly migrations: Pick<Migrations, 'ofConnection'>;
  readonly cloudAccounts: CloudAccounts;
  readonly plans: Plans;
  readonly priceBook: PriceBook;
  readonly slices: SliceDeps;
  readonly figures: WorkFigures;
  readonly now: () => Date;
  /** How often this slice has been tried, the first time included. */
  readonly attempt: () => number;
  /** Tells at short intervals that the work goes on. */
  readonly whileBeating: <T>(work: () => Promise<T>) => Promise<T>;
}

/** A scan, as its workflow names it. */
export type ScanRun = Omit<ScanInput, 'carried'>;

export type ScanActivities = ReturnType<typeof createScanActivities>;

const LOST: ScanFailure = { code: 'internal_error', message: 'The scan ended without a result.' };
/** What got no further in so many tries, each of them with a patience of its own, is left. */
export const MAX_ATTEMPTS = 4;

/**
 * What a scan's workflow has done, up to its conclusion. Each may be repeated at any point. What was
 * read lies in the database; what is returned are numbers, for the history is read by operators.
 */
export function createScanActivities(deps: ScanActivityDeps) {
  const { accounts, connections, scans, scanBuckets, cloudAccounts, priceBook, now } = deps;

  async function findConnection(key: ScanRun): Promise<Connection> {
    const connection = await connections.find(key);
    if (!connection) throw new AppError('connection_not_found');
    return connection;
  }

  return {
    /** Counts the scan against the plan, and writes it down where its start did not come to it. */
    async openScan(key: ScanRun): Promise<void> {
      const startedAt = new Date(key.startedAt);
      const { scanId, accountId, connectionId } = key;
      await findConnection(key);
      const account = await accounts.find(accountId);
      const limit = account ? deps.plans[account.plan].scansPerMonth : 0;
      const period = { accountId, month: monthOf(startedAt) };
      if (!(await deps.scanQuota.book(period, scanId, limit))) throw new AppError('plan_limit');
      await scans.insertQueued({ scanId, accountId, connectionId, startedAt });
      await scans.failOthers(connectionId, scanId, LOST, now());
    },

    /** Lists the buckets once; from then on a bucket is known by its place in the list. */
    async planScan(key: ScanRun): Promise<ScanPlan> {
      const { scanId } = key;
      const { regions, ...role } = await findConnection(key);
      if (!(await scans.findPlan(scanId))) {
        const meter = createRequestMeter(priceBook);
        const found = await withRoleErrors(() =>
          cloudAccounts.open(role, meter.count).listBuckets(),
        );
        const wanted = found
          .filter(({ region }) => regions.includes(region))
          .sort((a, b) => compareKeys(a.name, b.name));
        await scans.plan(scanId, wanted, meter.read());
      }
      const [planned, scan] = await Promise.all([scans.findPlan(scanId), scans.find(key)]);
      if (!planned || !scan) throw new Error('the scan was not written down');
      const { length: migrations } = await deps.migrations.ofConnection(key.connectionId);
      return {
        buckets: planned.length,
        objects: 0,
        bytes: 0,
        ...scan.requests,
        ...(migrations > 0 ? { migrations } : {}),
      };
    },

    /** Reads one bucket on, for a while. The figures are the bucket's, not the slice's. */
    async listBucket(key: ScanRun, index: number): Promise<BucketSlice> {
      const { scanId } = key;
      const planned = await scans.findPlanned(scanId, index);
      if (!planned) throw new Error('there is no such bucket in the plan');
      const { name } = planned;
      const before = await scanBuckets.open(scanId, name);
      if (before.inventory) return toSlice(name, before);

      const connection = await findConnection(key);
      const meter = createRequestMeter(priceBook);
      const bucket = cloudAccounts.open(connection, meter.count).bucket(planned);
      const asOf = new Date(key.startedAt);
      const { work, failure } = await deps.whileBeating(() =>
        withRoleErrors(() => readSlice(bucket, planned, before, asOf, deps.slices)),
      );
      const isLeft = failure !== null && deps.attempt() >= MAX_ATTEMPTS;
      const read = isLeft ? giveUp(planned, work, failure) : work;
      const requests = addRequests(read.progress, meter.read());
      const after = { ...read, progress: { ...read.progress, ...requests } };
      const isSaved = await scanBuckets.save(scanId, name, after);
      if (isSaved) deps.figures.listed(after.progress.objects - before.progress.objects);
      if (failure && !isLeft) throw failure;
      // Somebody else's slice of the same bucket counts as well as this one.
      return toSlice(name, isSaved ? after : await scanBuckets.open(scanId, name));
    },
  };
}

function toSlice(name: string, { progress, inventory }: BucketWork): BucketSlice {
  const { objects, bytes, list, other, costUsd } = progress;
  return {
    name,
    done: inventory !== null,
    error: inventory?.error?.message ?? null,
    objects,
    bytes,
    list,
    other,
    costUsd,
  };
}
