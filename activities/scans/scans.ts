import type { CloudAccounts } from '../../adapters/cloud-account/cloud-accounts.ts';
import type { Accounts } from '../../adapters/mongo/accounts/accounts.ts';
import type { Connections } from '../../adapters/mongo/connections/connections.ts';
import type { Migrations } from '../../adapters/mongo/migrations/migrations.ts';
import type { BucketWork, ScanBuckets } from '../../adapters/mongo/scans/scan-buckets.ts';
import type { ScanQuota } from '../../adapters/mongo/uploads/quota.ts';
import type { Scans } from '../../adapters/mongo/scans/scans.ts';
import { AppError } from '../../domain/common/errors.ts';
import type { Plans } from '../../domain/accounts/plan.ts';
import { targetSizeLimits } from '../../domain/decision/region-rates.ts';
import type { LeftAlonePatterns } from '../../domain/inventory/key-marks.ts';
import type { PriceBook } from '../../domain/pricing/price-book.ts';
import { sourceAccount } from '../../domain/connections/connection.ts';
import {
  findConnection,
  openSource,
  withSourceErrors,
} from '../../operations/connections/source.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import { createRequestMeter } from '../../domain/scans/request-meter.ts';
import { addRequests, type ScanFailure } from '../../domain/scans/scan.ts';
import { failedScan } from '../../domain/webhooks/event.ts';
import { toMonth } from '../../domain/common/time.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import type { BucketList, BucketSlice, ScanRun } from '../../messages/scan.ts';
import { giveUpBucket, readSlice, type SliceDeps } from './bucket-slice.ts';
import type { WorkMetrics } from '../common/progress.ts';
import type { GuardedStore, StoreGuard } from '../common/store-guard.ts';

export interface ScanActivityDeps {
  readonly accounts: Accounts;
  readonly connections: Connections;
  readonly scans: Scans;
  readonly scanBuckets: ScanBuckets;
  readonly scanQuota: ScanQuota;
  readonly migrations: Pick<Migrations, 'ofSource'>;
  readonly cloudAccounts: CloudAccounts;
  readonly stores: AccountStores;
  readonly plans: Plans;
  readonly priceBook: PriceBook;
  readonly leftAlone: Pick<LeftAlonePatterns, 'marksOf'>;
  readonly slices: SliceDeps;
  readonly metrics: WorkMetrics;
  readonly now: () => Date;
  /** The number of this attempt, from 1. */
  readonly attempt: () => number;
  readonly guard: StoreGuard;
}

export type ScanActivities = ReturnType<typeof createScanActivities>;

const LOST: ScanFailure = { code: 'internal_error', message: 'The scan ended without a result.' };
/** A bucket that makes no progress in this many attempts is given up. */
export const MAX_ATTEMPTS = 4;

/**
 * The activities of a scan, up to its conclusion. Each may be repeated at any point. MongoDB holds what
 * was read; the return values are numbers, because operators read the history.
 */
export function createScanActivities(deps: ScanActivityDeps) {
  const { accounts, scans, scanBuckets, priceBook, now } = deps;

  return {
    /** Counts the scan against the plan, and stores it if its start did not. */
    async openScan(key: ScanRun): Promise<void> {
      const startedAt = new Date(key.startedAt);
      const { scanId, accountId, connectionId } = key;
      const { provider } = await findConnection(deps, key);
      const account = await accounts.findAccount(accountId);
      const limit = account ? deps.plans[account.plan].scansPerMonth : 0;
      const period = { accountId, month: toMonth(startedAt) };
      if (!(await deps.scanQuota.book(period, scanId, limit))) throw new AppError('plan_limit');
      await scans.insertQueued({ scanId, accountId, connectionId, provider, startedAt });
      const failedAt = now();
      await scans.failOthers(connectionId, scanId, LOST, failedAt, (other) =>
        failedScan(other, LOST, failedAt),
      );
    },

    /** Lists the buckets once; later activities identify a bucket by its index in the list. */
    async listBuckets(key: ScanRun): Promise<BucketList> {
      const { scanId } = key;
      const connection = await findConnection(deps, key);
      if (!(await scans.findBucketList(scanId))) {
        const meter = createRequestMeter(priceBook, connection.provider);
        const source = await openSource(deps, connection, meter.count);
        const found = await deps.guard(guardedAccount(key), () =>
          withSourceErrors(deps, connection, () => source.listBuckets()),
        );
        const wanted = found.toSorted((a, b) => compareKeys(a.name, b.name));
        await scans.saveBucketList(scanId, wanted, meter.read());
      }
      const [planned, scan] = await Promise.all([
        scans.findBucketList(scanId),
        scans.findScan(key),
      ]);
      if (!planned || !scan) throw new Error('the scan is not stored');
      const { length: migrations } = await deps.migrations.ofSource(sourceAccount(connection));
      return {
        buckets: planned.length,
        objects: 0,
        bytes: 0,
        ...scan.requests,
        ...(migrations > 0 ? { migrations } : {}),
      };
    },

    /** Continues reading one bucket for one slice. The numbers are the bucket's totals. */
    async listBucket(key: ScanRun, index: number): Promise<BucketSlice> {
      const { scanId } = key;
      const planned = await scans.findListedBucket(scanId, index);
      if (!planned) throw new Error('the bucket list has no such index');
      const { name } = planned;
      const before = await scanBuckets.open(scanId, name);
      if (before.inventory) return toSlice(name, before);

      const connection = await findConnection(deps, key);
      const { provider } = connection;
      const meter = createRequestMeter(priceBook, provider);
      const source = await openSource(deps, connection, meter.count);
      const bucket = source.bucket(planned);
      const title = deps.priceBook.catalogue.titleOf(provider);
      const basis = {
        asOf: new Date(key.startedAt),
        sizeLimits: targetSizeLimits(priceBook, provider),
        minSizes: priceBook.minBillableSizes,
      };
      const sliceDeps = { ...deps.slices, marksOf: deps.leftAlone.marksOf };
      const { work, failure } = await deps.guard(
        guardedAccount(key),
        () =>
          withSourceErrors(deps, connection, () =>
            readSlice(bucket, { ...planned, title }, before, basis, sliceDeps),
          ),
        (slice) => slice.failure,
      );
      const isLeft = failure !== null && deps.attempt() >= MAX_ATTEMPTS;
      const read = isLeft ? giveUpBucket({ ...planned, title }, work, failure) : work;
      const requests = addRequests(read.progress, meter.read());
      const after = { ...read, progress: { ...read.progress, ...requests } };
      const isSaved = await scanBuckets.save(scanId, name, after);
      if (isSaved) deps.metrics.listed(after.progress.objects - before.progress.objects);
      if (failure && !isLeft) throw failure;
      // On a revision conflict the stored result is kept.
      return toSlice(name, isSaved ? after : await scanBuckets.open(scanId, name));
    },
  };
}

/** The customer's account that a scan reads, as the store guard knows it. */
export function guardedAccount({ accountId, connectionId }: ScanRun): GuardedStore {
  return { accountId, store: connectionId };
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
