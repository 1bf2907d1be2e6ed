import {
  giveUpBucket,
  MAX_ATTEMPTS,
  readSlice,
  type BucketWork,
} from '../../adapters/cloud-account/bucket-slice.ts';
import { AppError } from '../../domain/common/errors.ts';
import { targetSizeLimits } from '../../domain/decision/region-rates.ts';
import { sourceAccount, type Connection } from '../../domain/connections/connection.ts';
import {
  findConnection,
  openSource,
  withSourceErrors,
} from '../../operations/connections/source.ts';
import { createRequestMeter } from '../../domain/scans/request-meter.ts';
import { addRequests, type ScanFailure } from '../../domain/scans/scan.ts';
import { failedScan } from '../../domain/webhooks/event.ts';
import { toMonth } from '../../domain/common/time.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import type { BucketList, BucketSlice, ScanRun } from '../../messages/scan.ts';
import type { ScanContext } from '../contexts.ts';

export type ScanActivities = ReturnType<typeof createScanActivities>;

const LOST: ScanFailure = { code: 'internal_error', message: 'The scan ended without a result.' };

/**
 * The activities of a scan, up to its conclusion. Each may be repeated at any point. MongoDB holds
 * what was read; the return values are numbers, because operators read the history.
 */
export function createScanActivities(context: ScanContext) {
  return {
    openScan: (key: ScanRun) => openScan(context, key),
    listBuckets: (key: ScanRun) => listBuckets(context, key),
    listBucket: (key: ScanRun, index: number) => listBucket(context, key, index),
  };
}

async function openScan(context: ScanContext, key: ScanRun): Promise<void> {
  const { accounts, plans, scans, scanQuota, now } = context;
  const startedAt = new Date(key.startedAt);
  const { scanId, accountId, connectionId } = key;
  const { provider } = await findConnection(context, key);
  const account = await accounts.findAccount(accountId);
  const limit = account ? plans[account.plan].scansPerMonth : 0;
  const period = { accountId, month: toMonth(startedAt) };
  if (!(await scanQuota.book(period, scanId, limit))) throw new AppError('plan_limit');
  await scans.insertQueued({ scanId, accountId, connectionId, provider, startedAt });
  const failedAt = now();
  await scans.failOthers(connectionId, scanId, LOST, failedAt, (other) =>
    failedScan(other, LOST, failedAt),
  );
}

/** Lists the buckets once; later activities identify a bucket by its index in the list. */
async function listBuckets(context: ScanContext, key: ScanRun): Promise<BucketList> {
  const { migrations, priceBook, scans } = context;
  const { scanId } = key;
  const connection = await findConnection(context, key);
  if (!(await scans.findBucketList(scanId))) {
    const meter = createRequestMeter(priceBook, connection.provider);
    const source = await openSource(context, connection, meter.count);
    const listed = await workAtSource(context, key, connection, () => source.listBuckets());
    const buckets = listed.toSorted((a, b) => compareKeys(a.name, b.name));
    await scans.saveBucketList(scanId, buckets, meter.read());
  }
  const [planned, scan] = await Promise.all([scans.findBucketList(scanId), scans.findScan(key)]);
  if (!planned || !scan) throw new Error('the scan is not stored');
  const { length } = await migrations.ofSource(sourceAccount(connection));
  return {
    buckets: planned.length,
    objects: 0,
    bytes: 0,
    ...scan.requests,
    ...(length > 0 ? { migrations: length } : {}),
  };
}

/** Continues reading one bucket for one slice. The numbers are the bucket's totals. */
async function listBucket(context: ScanContext, key: ScanRun, index: number): Promise<BucketSlice> {
  const { attempt, leftAlone, metrics, priceBook, scanBuckets, scans, slices } = context;
  const { scanId } = key;
  const listed = await scans.findListedBucket(scanId, index);
  if (!listed) throw new Error('the bucket list has no such index');
  const { name } = listed;
  const stored = await scanBuckets.open(scanId, name);
  if (stored.inventory) return toSlice(name, stored);

  const connection = await findConnection(context, key);
  const { provider } = connection;
  const meter = createRequestMeter(priceBook, provider);
  const source = await openSource(context, connection, meter.count);
  const planned = { ...listed, title: priceBook.catalogue.titleOf(provider) };
  const basis = {
    asOf: new Date(key.startedAt),
    sizeLimits: targetSizeLimits(priceBook, provider),
    minSizes: priceBook.minBillableSizes,
  };
  const slicing = { ...slices, marksOf: leftAlone.marksOf };
  const { work, failure } = await workAtSource(
    context,
    key,
    connection,
    () => readSlice(source.bucket(listed), planned, stored, basis, slicing),
    (slice) => slice.failure,
  );
  const isGivenUp = failure !== null && attempt() >= MAX_ATTEMPTS;
  const read = isGivenUp ? giveUpBucket(planned, work, failure) : work;
  const requests = addRequests(read.progress, meter.read());
  const after = { ...read, progress: { ...read.progress, ...requests } };
  const isSaved = await scanBuckets.save(scanId, name, after);
  if (isSaved) metrics.listed(after.progress.objects - stored.progress.objects);
  if (failure && !isGivenUp) throw failure;
  // On a revision conflict the stored result is kept.
  return toSlice(name, isSaved ? after : await scanBuckets.open(scanId, name));
}

/** Works at the customer's account that a scan reads. `findFailure`: as the store guard takes it. */
export function workAtSource<Result>(
  context: ScanContext,
  { accountId, connectionId }: ScanRun,
  connection: Connection,
  work: () => Promise<Result>,
  findFailure?: (result: Result) => unknown,
): Promise<Result> {
  const guarded = () => withSourceErrors(context, connection, work);
  return context.guard({ accountId, store: connectionId }, guarded, findFailure);
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
