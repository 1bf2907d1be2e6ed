import type * as Sdk from '@aws-sdk/client-cloudwatch';
import type { CloudWatchClient, Metric, MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { TIERS, type MeasuredReads, type Tier, type TierBytes } from '../../domain/bill/bill.ts';
import { itemOf, sumBy } from '../../domain/common/sums.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import type { CredentialSource } from './session.ts';
import { callWithSession, clientOptions, readPages } from './usage-call.ts';

export interface CloudWatchDeps {
  readonly credentials: CredentialSource;
  readonly region: string;
  /** Configured by the operator in place of AWS's own. */
  readonly endpoint: string | undefined;
  /** Called with the number of metrics whose data were answered. */
  readonly onMetrics: (count: number) => void;
  readonly timeoutMs: number;
}

export interface RequestFilter {
  readonly bucket: string;
  readonly filterId: string;
}

const NAMESPACE = 'AWS/S3';
const MAX_PAGES = 200;
/** The most that a query may ask for. */
const QUERIES_AT_ONCE = 500;
const DAY_SECONDS = 86_400;
const READ_DAYS = 30;
/** The first two are summed, the others only show that the filter measures. */
const REQUEST_METRICS = [
  'GetRequests',
  'BytesDownloaded',
  'AllRequests',
  'PutRequests',
  'ListRequests',
  'HeadRequests',
] as const;
/** Storage is measured once a day, and known a day later. */
const STORAGE_DAYS = 3;
const STORAGE_TYPES: Readonly<Record<Tier, string>> = {
  frequent: 'IntelligentTieringFAStorage',
  infrequent: 'IntelligentTieringIAStorage',
  archiveInstant: 'IntelligentTieringAIAStorage',
  archive: 'IntelligentTieringAAStorage',
  deepArchive: 'IntelligentTieringDAAStorage',
};

/** The SDK is loaded once it is needed. */
export async function openCloudWatch(deps: CloudWatchDeps): Promise<CloudWatch> {
  return new CloudWatch(deps, await import('@aws-sdk/client-cloudwatch'));
}

/** Metrics of the buckets of one region. Every method rejects with a `UsageError`. */
export class CloudWatch {
  readonly #deps: CloudWatchDeps;
  readonly #sdk: typeof Sdk;
  readonly #clients = new Map<object, CloudWatchClient>();

  constructor(deps: CloudWatchDeps, sdk: typeof Sdk) {
    this.#deps = deps;
    this.#sdk = sdk;
  }

  /** The request metrics that exist: a bucket has one for each filter that it was given. */
  async listRequestFilters(): Promise<readonly RequestFilter[]> {
    // Only request metrics have a filter; which of them there are depends on the requests.
    const metrics = await this.#listMetrics({ Dimensions: [{ Name: 'FilterId' }] });
    const filters = new Map<string, RequestFilter>();
    for (const metric of metrics) {
      const bucket = dimension(metric, 'BucketName');
      const filterId = dimension(metric, 'FilterId');
      if (bucket === undefined || filterId === undefined) continue;
      filters.set(`${bucket} ${filterId}`, { bucket, filterId });
    }
    return [...filters.values()];
  }

  /** The buckets that have storage metrics of the tiers of INTELLIGENT_TIERING. */
  async listTieredBuckets(): Promise<readonly string[]> {
    const types = new Set<string | undefined>(Object.values(STORAGE_TYPES));
    const metrics = await this.#listMetrics({ MetricName: 'BucketSizeBytes' });
    const tiered = metrics.filter((metric) => types.has(dimension(metric, 'StorageType')));
    return [...new Set(tiered.flatMap((metric) => dimension(metric, 'BucketName') ?? []))];
  }

  /** The reads of the 30 days before a day; of 0 days where none of them has any request. */
  async reads(
    filters: readonly RequestFilter[],
    day: Date,
  ): Promise<ReadonlyMap<string, MeasuredReads>> {
    const series = filters.flatMap(({ bucket, filterId }) =>
      REQUEST_METRICS.map((name) => ({
        name,
        stat: 'Sum',
        dimensions: { BucketName: bucket, FilterId: filterId },
      })),
    );
    const points = await this.#read(series, READ_DAYS, day);
    return new Map(
      filters.map(({ bucket }, index) => {
        const first = index * REQUEST_METRICS.length;
        return [bucket, sumReads(points.slice(first, first + REQUEST_METRICS.length), day)];
      }),
    );
  }

  /** The bytes by tier on the newest day, which is at most 3 days before the given one. */
  async tiers(buckets: readonly string[], day: Date): Promise<ReadonlyMap<string, TierBytes>> {
    const series = buckets.flatMap((bucket) =>
      TIERS.map((tier) => ({
        name: 'BucketSizeBytes',
        stat: 'Average',
        dimensions: { BucketName: bucket, StorageType: STORAGE_TYPES[tier] },
      })),
    );
    const points = await this.#read(series, STORAGE_DAYS, day);
    return new Map(
      buckets.flatMap((bucket, index): [string, TierBytes][] => {
        const bytes = newestBytes(points.slice(index * TIERS.length, (index + 1) * TIERS.length));
        return bytes ? [[bucket, bytes]] : [];
      }),
    );
  }

  /** The objects of all versions on the newest day, which is at most 3 days before the given one. */
  async objectCounts(buckets: readonly string[], day: Date): Promise<ReadonlyMap<string, number>> {
    const series = buckets.map((BucketName) => ({
      name: 'NumberOfObjects',
      stat: 'Average',
      dimensions: { BucketName, StorageType: 'AllStorageTypes' },
    }));
    const points = await this.#read(series, STORAGE_DAYS, day);
    return new Map(
      buckets.flatMap((bucket, index): [string, number][] => {
        const newest = itemOf(points, index).toSorted((a, b) => b.atMs - a.atMs)[0];
        return newest ? [[bucket, newest.value]] : [];
      }),
    );
  }

  close(): void {
    for (const client of this.#clients.values()) client.destroy();
  }

  readonly #send: Send = (call) => {
    const { credentials: source, region, endpoint, timeoutMs } = this.#deps;
    return callWithSession(source, (credentials) => {
      const client =
        this.#clients.get(credentials) ??
        new this.#sdk.CloudWatchClient(clientOptions(region, credentials, endpoint));
      this.#clients.set(credentials, client);
      return call(client, { abortSignal: AbortSignal.timeout(timeoutMs) });
    });
  };

  async #listMetrics(
    wanted: Pick<Sdk.ListMetricsCommandInput, 'MetricName' | 'Dimensions'>,
  ): Promise<Metric[]> {
    const listed: Metric[] = [];
    const ask = (NextToken: string | undefined) => {
      const command = new this.#sdk.ListMetricsCommand({
        Namespace: NAMESPACE,
        ...wanted,
        NextToken,
      });
      return this.#send((client, options) => client.send(command, options));
    };
    const pages = readPages(ask, (page) => page.NextToken, MAX_PAGES);
    for await (const { Metrics = [] } of pages) listed.push(...Metrics);
    return listed;
  }

  /** The daily values of each series in the days before one, in the order of the series. */
  async #read(series: readonly Series[], days: number, to: Date): Promise<Point[][]> {
    const from = new Date(to.getTime() - days * DAY_MS);
    const points: Point[][] = series.map(() => []);
    for (let at = 0; at < series.length; at += QUERIES_AT_ONCE) {
      const queries = series
        .slice(at, at + QUERIES_AT_ONCE)
        .map((each, index) => toQuery(each, at + index));
      const answered = await readPoints(this.#sdk, this.#send, queries, from, to);
      for (const [index, values] of answered) points[index]?.push(...values);
      this.#deps.onMetrics(queries.length);
    }
    return points;
  }
}

interface Series {
  readonly name: string;
  readonly stat: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

interface Point {
  readonly atMs: number;
  readonly value: number;
}

type Send = <T>(
  call: (client: CloudWatchClient, options: { abortSignal: AbortSignal }) => Promise<T>,
) => Promise<T>;

async function readPoints(
  sdk: typeof Sdk,
  send: Send,
  queries: readonly MetricDataQuery[],
  from: Date,
  to: Date,
): Promise<[index: number, points: Point[]][]> {
  const answered: [number, Point[]][] = [];
  const asked = { MetricDataQueries: [...queries], StartTime: from, EndTime: to };
  const ask = (NextToken: string | undefined) => {
    const command = new sdk.GetMetricDataCommand({ ...asked, NextToken });
    return send((client, options) => client.send(command, options));
  };
  const pages = readPages(ask, (page) => page.NextToken, MAX_PAGES);
  for await (const { MetricDataResults = [] } of pages) {
    for (const { Id = '', Timestamps = [], Values = [] } of MetricDataResults) {
      const points = Timestamps.map((at, index) => ({
        atMs: at.getTime(),
        value: Values[index] ?? Number.NaN,
      })).filter(
        ({ atMs, value }) =>
          Number.isFinite(value) && value >= 0 && atMs >= from.getTime() && atMs < to.getTime(),
      );
      answered.push([Number(Id.slice(1)), points]);
    }
  }
  return answered;
}

function toQuery({ name, stat, dimensions }: Series, index: number): MetricDataQuery {
  return {
    Id: `m${index}`,
    MetricStat: {
      Metric: {
        Namespace: NAMESPACE,
        MetricName: name,
        Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
      },
      Period: DAY_SECONDS,
      Stat: stat,
    },
  };
}

/**
 * The sums over the span from the first day with a point to the given day: CloudWatch has no point
 * of a day without requests.
 *
 * @param points in the order of `REQUEST_METRICS`
 */
function sumReads(points: readonly (readonly Point[])[], day: Date): MeasuredReads {
  const sumOf = (metric: (typeof REQUEST_METRICS)[number]) =>
    sumBy(itemOf(points, REQUEST_METRICS.indexOf(metric)), ({ value }) => value);
  const sinceMs = Math.min(day.getTime(), ...points.flat().map(({ atMs }) => atMs));
  const days = Math.ceil((day.getTime() - sinceMs) / DAY_MS);
  return { gets: sumOf('GetRequests'), bytes: sumOf('BytesDownloaded'), days };
}

/** @param points in the order of `TIERS`; a tier without a point of the newest day is empty */
function newestBytes(points: readonly (readonly Point[])[]): TierBytes | undefined {
  const newest = Math.max(...points.flat().map(({ atMs }) => atMs));
  if (!Number.isFinite(newest)) return undefined;
  const bytesOf = (at: number) => {
    const point = itemOf(points, at).find(({ atMs }) => atMs === newest);
    return point ? point.value : 0;
  };
  return Object.fromEntries(TIERS.map((tier, at) => [tier, bytesOf(at)])) as Record<Tier, number>;
}

function dimension({ Dimensions = [] }: Metric, name: string): string | undefined {
  return Dimensions.find(({ Name }) => Name === name)?.Value;
}
