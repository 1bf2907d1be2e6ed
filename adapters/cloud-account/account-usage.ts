import { formatMonth } from '../../domain/common/format.ts';
import { addMonths, DAY_MS, toMonth } from '../../domain/common/time.ts';
import { isTiered } from '../../domain/decision/storage-rates.ts';
import type { BucketInventory } from '../../domain/inventory/inventory.ts';
import { compareKeys, compareNullable } from '../../domain/inventory/key-order.ts';
import type { PriceBook } from '../../domain/pricing/price-book.ts';
import { AWS } from '../../domain/providers/catalogue.ts';
import { createRequestMeter, type RequestMeter } from '../../domain/scans/request-meter.ts';
import { addRequests, type ListedBucket, type ScanGap } from '../../domain/scans/scan.ts';
import type { UsageWork } from '../../domain/scans/usage-work.ts';
import { forEachConcurrently } from '../concurrently.ts';
import { StoreError } from '../object-store/errors.ts';
import type { AccountReader } from './account-reader.ts';
import type { CloudWatch, RequestFilter } from './cloud-watch.ts';
import { USAGE_PERMISSIONS } from './permissions.ts';
import { RoleRefusedError } from './roles.ts';
import { UsageError } from './usage-call.ts';
import type { UsageReader } from './usage-reader.ts';

/** Each is asked about its request metrics. */
const BUCKETS_AT_ONCE = 8;

type Permission = keyof typeof USAGE_PERMISSIONS;

interface MeteredBucket extends Pick<ListedBucket, 'name' | 'region'> {
  /** It holds objects of a class that moves them between tiers by itself. */
  readonly isTiered: boolean;
}

/** Who reads the bill and the metrics of an account. */
export interface UsageReaders {
  readonly account: Pick<AccountReader, 'bucket'>;
  readonly usage: UsageReader;
}

export interface UsageDeps {
  /** Readers whose requests and charges the meter counts. */
  readonly open: (meter: RequestMeter) => UsageReaders;
  readonly priceBook: PriceBook;
  /** When the scan started. */
  readonly startedAt: Date;
  /** Called as the reading goes on. */
  readonly report: () => void;
}

type UsageInventories =
  | AsyncIterable<Pick<BucketInventory, 'name' | 'region' | 'groups'>>
  | Iterable<Pick<BucketInventory, 'name' | 'region' | 'groups'>>;

/** One account, as it is read. */
type Reading = UsageReaders & Pick<UsageDeps, 'startedAt' | 'report'>;

type PartAnswer = Pick<UsageWork, 'gaps'> & Partial<Omit<UsageWork, 'revision' | 'requests'>>;

/**
 * Reads what is left of the bill and of the metrics of a scan's buckets, part by part. What cannot
 * be read is a line of the gaps.
 *
 * @param save stores the work after each part, and returns what is stored then
 * @throws what is no failure of AWS
 */
export async function continueUsage(
  deps: UsageDeps,
  inventories: UsageInventories,
  stored: UsageWork,
  save: (work: UsageWork) => Promise<UsageWork>,
): Promise<UsageWork> {
  const listed = await listBuckets(deps, inventories);
  let work = stored;
  const read = async (part: (reading: Reading) => Promise<PartAnswer>) => {
    const meter = createRequestMeter(deps.priceBook, AWS);
    const { gaps, ...answer } = await part({ ...deps, ...deps.open(meter) });
    const requests = addRequests(work.requests, meter.read());
    work = await save({ ...work, ...answer, gaps: mergeGaps(work.gaps, gaps), requests });
    deps.report();
  };
  if (!work.isBillRead) await read(readBill);
  for (const region of new Set(listed.map((bucket) => bucket.region))) {
    if (work.isCloudWatchRefused || work.regions.includes(region)) continue;
    const inRegion = listed.filter((bucket) => bucket.region === region);
    const { regions, metrics } = work;
    await read(async (reading) => {
      const answer = await readMetrics(reading, region, inRegion);
      return {
        ...answer,
        regions: [...regions, region],
        metrics: [...metrics, ...(answer.metrics ?? [])],
      };
    });
  }
  return work;
}

async function listBuckets(
  { priceBook, report }: UsageDeps,
  inventories: UsageInventories,
): Promise<readonly MeteredBucket[]> {
  const listed: MeteredBucket[] = [];
  for await (const { name, region, groups } of inventories) {
    const classes = new Set(groups.map(({ storageClass }) => storageClass));
    const sheets = [...classes].map((each) => priceBook.classSheet(AWS, region, each));
    listed.push({ name, region, isTiered: sheets.some((sheet) => sheet && isTiered(sheet)) });
    report();
  }
  return listed.sort((a, b) => compareKeys(a.region, b.region));
}

async function readBill({ usage, startedAt }: Reading): Promise<PartAnswer> {
  const period = addMonths(toMonth(startedAt), -1);
  const none: ScanGap = {
    bucket: null,
    missing: 'cost_explorer',
    effect: `Cost Explorer is not enabled or has no S3 bill for ${formatMonth(period)}: S3 is priced by its list prices, and reads are assumed`,
  };
  try {
    const bill = await usage.bill(period);
    return { isBillRead: true, bill, gaps: bill ? [] : [none] };
  } catch (error) {
    const failure = failureOf(error);
    const gap = failure === 'unavailable' ? none : toGap('getCost');
    return { isBillRead: true, gaps: [gap] };
  }
}

/** CloudWatch's metrics of the buckets of a region; after a refusal nothing more is asked of it. */
async function readMetrics(
  reading: Reading,
  region: string,
  buckets: readonly MeteredBucket[],
): Promise<PartAnswer> {
  let asking: Permission = 'listMetrics';
  const gaps: ScanGap[] = [];
  let watch: CloudWatch | undefined;
  try {
    watch = await reading.usage.openCloudWatch(region);
    const day = new Date(Math.floor(reading.startedAt.getTime() / DAY_MS) * DAY_MS);
    const names = new Set(buckets.map(({ name }) => name));
    const filters = (await watch.listRequestFilters()).filter(({ bucket }) => names.has(bucket));
    const tiered = buckets.some((bucket) => bucket.isTiered) ? await watch.listTieredBuckets() : [];
    const whole = await wholeBucketFilters(reading, buckets, filters, gaps);
    asking = 'getMetricData';
    const reads = await watch.reads(whole, day);
    const withTiers = buckets.filter(({ name, isTiered: is }) => is && tiered.includes(name));
    const tiers = await watch.tiers(
      withTiers.map(({ name }) => name),
      day,
    );
    const measured = new Set([...reads.keys(), ...tiers.keys()]);
    return {
      gaps,
      metrics: [...measured].map((bucket) => ({
        bucket,
        reads: reads.get(bucket) ?? null,
        tiers: tiers.get(bucket) ?? null,
      })),
    };
  } catch (error) {
    failureOf(error);
    return { gaps: [...gaps, toGap(asking)], isCloudWatchRefused: true };
  } finally {
    watch?.close();
  }
}

/** For each bucket the first filter that has no condition. */
async function wholeBucketFilters(
  { account, report }: Reading,
  buckets: readonly MeteredBucket[],
  filters: readonly RequestFilter[],
  gaps: ScanGap[],
): Promise<readonly RequestFilter[]> {
  const whole: RequestFilter[] = [];
  const idsOf = new Map(buckets.map(({ name }) => [name, [] as string[]]));
  for (const { bucket, filterId } of filters) idsOf.get(bucket)?.push(filterId);
  await forEachConcurrently(buckets, BUCKETS_AT_ONCE, async (bucket) => {
    const reader = account.bucket(bucket);
    try {
      for (const filterId of idsOf.get(bucket.name) ?? []) {
        report();
        if (!(await reader.coversAllObjects(filterId))) continue;
        whole.push({ bucket: bucket.name, filterId });
        break;
      }
    } catch (error) {
      if (!(error instanceof StoreError || error instanceof RoleRefusedError)) throw error;
      gaps.push(toGap('getMetricsConfiguration', bucket.name));
    }
  });
  gaps.sort((a, b) => compareNullable(a.bucket, b.bucket));
  return whole;
}

/** @throws what is no failure of AWS */
function failureOf(error: unknown): UsageError['failure'] {
  if (!(error instanceof UsageError)) throw error;
  return error.failure;
}

function toGap(permission: Permission, bucket: string | null = null): ScanGap {
  const { action, withoutIt } = USAGE_PERMISSIONS[permission];
  return { bucket, missing: action, effect: withoutIt };
}

/** One line for each bucket and action. */
function mergeGaps(stored: readonly ScanGap[], added: readonly ScanGap[]): ScanGap[] {
  const isStored = (gap: ScanGap) =>
    stored.some(({ bucket, missing }) => bucket === gap.bucket && missing === gap.missing);
  return [...stored, ...added.filter((gap) => !isStored(gap))];
}
