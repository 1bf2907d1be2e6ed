import { createRequestMeter } from '../../domain/scans/request-meter.ts';
import { AWS } from '../../domain/providers/catalogue.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import type { ListedBucket } from '../../domain/scans/scan.ts';
import { formatCount, formatMoney } from '../../shared/amounts.ts';
import { PRICE_BOOK } from './data.ts';
import type { Settings } from './settings.ts';
import type { Source } from './source.ts';

/** What reading the buckets will take, as far as it can be known before. */
export interface Estimate {
  /** Requests of S3; at most what `--max-requests` allows. */
  readonly requests: number;
  /** Buckets whose number of objects is not known: they count as one page. */
  readonly unknown: number;
  /** For people: what is called, and its cost. */
  readonly sentence: string;
}

const USAGE_CALLS =
  '; CloudWatch for their metrics, <$0.01 for most accounts; Cost Explorer for the S3 lines of the last bill, $0.01 a page, mostly one';
const KEYS_PER_PAGE = 1_000;
/** The settings of a bucket: versioning, lifecycle, tags, lock, replication, events, website. */
const SETTINGS_OF_BUCKET = 7;

/** Asks CloudWatch for the numbers of objects, unless neither bill nor metrics are read. */
export async function estimate(
  { home, maxRequests }: Settings,
  source: Source,
  buckets: readonly ListedBucket[],
  now: Date,
): Promise<Estimate> {
  const objects = await countObjects(source, buckets, now);
  const meter = createRequestMeter(PRICE_BOOK, home.provider);
  for (const { name, region } of buckets) {
    const pages = Math.max(1, Math.ceil((objects.get(name) ?? 0) / KEYS_PER_PAGE));
    // Besides the objects, the unfinished uploads are listed.
    meter.count('list', region, pages + 1);
    meter.count('other', region, SETTINGS_OF_BUCKET);
  }
  const { list, other, costUsd } = meter.read();
  const whole = list + other;
  const requests = Math.min(whole, maxRequests);
  const unknown = buckets.length - objects.size;
  const title = PRICE_BOOK.catalogue.titleOf(home.provider);
  const whose = home.provider === AWS ? `AWS account ${source.account}` : title;
  const usd = (costUsd * requests) / Math.max(1, whole);
  return {
    requests,
    unknown,
    sentence: [
      `This audit of ${whose} will call ${title} for the settings and listings of ${formatCount(buckets.length, 'bucket')}: about ${formatCount(requests, 'request')}, ${formatMoney(usd)}${source.usage ? USAGE_CALLS : ''}.`,
      ...(unknown === 0
        ? []
        : [`${formatCount(unknown, 'bucket')} may hold more: a request for each 1,000 objects.`]),
      'It reads no object, and changes nothing.',
    ].join(' '),
  };
}

/** By name; none where CloudWatch does not say it. */
async function countObjects(
  { usage }: Source,
  buckets: readonly ListedBucket[],
  now: Date,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  if (!usage) return counts;
  const day = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  for (const region of new Set(buckets.map((bucket) => bucket.region))) {
    const names = buckets.flatMap((bucket) => (bucket.region === region ? [bucket.name] : []));
    const watch = await usage.openCloudWatch(region);
    try {
      for (const [name, count] of await watch.objectCounts(names, day)) counts.set(name, count);
    } catch {
      // The report names what may not be asked; here it is no more than an estimate.
      return counts;
    } finally {
      watch.close();
    }
  }
  return counts;
}
