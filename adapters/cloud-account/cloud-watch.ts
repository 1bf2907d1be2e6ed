import type * as Sdk from '@aws-sdk/client-cloudwatch';
import type { CloudWatchClient, Metric, MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { TIERS, type MeasuredReads, type Tier, type TierBytes } from '../../domain/bill/bill.ts';
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

/** Metrics of the buckets of one region. Every method rejects with a `UsageError`. */
export interface CloudWatch {
  /** The request metrics that exist: a bucket has one for each filter that it was given. */
  listRequestFilters(): Promise<readonly RequestFilter[]>;
  /** The buckets that have storage metrics of the tiers of INTELLIGENT_TIERING. */
  listTieredBuckets(): Promise<readonly string[]>;
  /** The reads of the 30 days before a day; of 0 days where none of them has any request. */
  reads(filters: readonly RequestFilter[], day: Date): Promise<ReadonlyMap<string, MeasuredReads>>;
  /** The bytes by tier on the newest day, which is at most 3 days before the given one. */
  tiers(buckets: readonly string[], day: Date): Promise<ReadonlyMap<string, TierBytes>>;
  close(): void;
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
/** The metrics of a filter that are summed, and those that only tell that it measures. */
const READ_METRICS = ['GetRequests', 'BytesDownloaded'] as const;
const REQUEST_METRICS = [
  ...READ_METRICS,
  'AllRequests',
  'PutRequests',
  'ListRequests',
  'HeadRequests',
] as const;
const TIER_DAYS = 3;
const STORAGE_TYPES: Readonly<Record<Tier, string>> = {
  frequent: 'IntelligentTieringFAStorage',
  infrequent: 'IntelligentTieringIAStorage',
  archiveInstant: 'IntelligentTieringAIAStorage',
  archive: 'IntelligentTieringAAStorage',
  deepArchive: 'IntelligentTieringDAAStorage',
};

export async function openCloudWatch(deps: CloudWatchDeps): Promise<CloudWatch> {
  const sdk = await import('@aws-sdk/client-cloudwatch');
  const clients = new Map<object, CloudWatchClient>();
  const send: Send = (call) =>
    callWithSession(deps.credentials, (credentials) => {
      const client =
        clients.get(credentials) ??
        new sdk.CloudWatchClient(clientOptions(deps.region, credentials, deps.endpoint));
      clients.set(credentials, client);
      return call(client, { abortSignal: AbortSignal.timeout(deps.timeoutMs) });
    });

  async function listMetrics(
    wanted: Pick<Sdk.ListMetricsCommandInput, 'MetricName' | 'Dimensions'>,
  ): Promise<Metric[]> {
    const found: Metric[] = [];
    const ask = (token: string | undefined) =>
      send((client, options) =>
        client.send(
          new sdk.ListMetricsCommand({
            Namespace: NAMESPACE,
            ...wanted,
            ...(token === undefined ? {} : { NextToken: token }),
          }),
          options,
        ),
      );
    const pages = readPages(ask, (page) => page.NextToken, MAX_PAGES);
    for await (const { Metrics = [] } of pages) found.push(...Metrics);
    return found;
  }

  /** The daily values of each series, as milliseconds and amount, in the order of the series. */
  async function read(series: readonly Series[], from: Date, to: Date): Promise<Point[][]> {
    const points: Point[][] = series.map(() => []);
    for (let at = 0; at < series.length; at += QUERIES_AT_ONCE) {
      const queries = series
        .slice(at, at + QUERIES_AT_ONCE)
        .map((each, index) => toQuery(each, at + index));
      const answered = await readPoints(sdk, send, queries, from, to);
      for (const [index, found] of answered) points[index]?.push(...found);
      deps.onMetrics(queries.length);
    }
    return points;
  }

  return {
    async listRequestFilters() {
      // Only request metrics have a filter; which of them there are depends on the requests.
      const metrics = await listMetrics({ Dimensions: [{ Name: 'FilterId' }] });
      const filters = new Map<string, RequestFilter>();
      for (const metric of metrics) {
        const bucket = dimension(metric, 'BucketName');
        const filterId = dimension(metric, 'FilterId');
        if (bucket === undefined || filterId === undefined) continue;
        filters.set(`${bucket} ${filterId}`, { bucket, filterId });
      }
      return [...filters.values()];
    },

    async listTieredBuckets() {
      const types = new Set(Object.values(STORAGE_TYPES));
      const metrics = await listMetrics({ MetricName: 'BucketSizeBytes' });
      const tiered = metrics.filter((metric) => types.has(dimension(metric, 'StorageType') ?? ''));
      return [...new Set(tiered.flatMap((metric) => dimension(metric, 'BucketName') ?? []))];
    },

    async reads(filters, day) {
      const series = filters.flatMap(({ bucket, filterId }) =>
        REQUEST_METRICS.map((name) => ({
          name,
          stat: 'Sum',
          dimensions: { BucketName: bucket, FilterId: filterId },
        })),
      );
      const points = await read(series, new Date(day.getTime() - READ_DAYS * DAY_MS), day);
      return new Map(
        filters.map(({ bucket }, index) => {
          const first = index * REQUEST_METRICS.length;
          return [bucket, sumReads(points.slice(first, first + REQUEST_METRICS.length), day)];
        }),
      );
    },

    async tiers(buckets, day) {
      const series = buckets.flatMap((bucket) =>
        TIERS.map((tier) => ({
          name: 'BucketSizeBytes',
          stat: 'Average',
          dimensions: { BucketName: bucket, StorageType: STORAGE_TYPES[tier] },
        })),
      );
      const points = await read(series, new Date(day.getTime() - TIER_DAYS * DAY_MS), day);
      return new Map(
        buckets.flatMap((bucket, index): [string, TierBytes][] => {
          const ofBucket = points.slice(index * TIERS.length, (index + 1) * TIERS.length);
          const newest = Math.max(...ofBucket.flat().map(({ atMs }) => atMs));
          if (!Number.isFinite(newest)) return [];
          const bytes = ofBucket.map(
            (ofTier) => ofTier.find(({ atMs }) => atMs === newest)?.value ?? 0,
          );
          return [
            [
              bucket,
              Object.fromEntries(TIERS.map((tier, at) => [tier, bytes[at] ?? 0])) as Record<
                Tier,
                number
              >,
            ],
          ];
        }),
      );
    },

    close() {
      for (const client of clients.values()) client.destroy();
    },
  };
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
  const found: [number, Point[]][] = [];
  const ask = (token: string | undefined) =>
    send((client, options) =>
      client.send(
        new sdk.GetMetricDataCommand({
          MetricDataQueries: [...queries],
          StartTime: from,
          EndTime: to,
          ...(token === undefined ? {} : { NextToken: token }),
        }),
        options,
      ),
    );
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
      found.push([Number(Id.slice(1)), points]);
    }
  }
  return found;
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
 * The sums over the span from the first day with a point to the given day: CloudWatch has no point of a day without
 * requests.
 *
 * @param points in the order of `REQUEST_METRICS`
 */
function sumReads(points: readonly (readonly Point[])[], day: Date): MeasuredReads {
  const [gets, bytes] = READ_METRICS.map((_name, at) =>
    (points[at] ?? []).reduce((sum, { value }) => sum + value, 0),
  );
  const sinceMs = Math.min(day.getTime(), ...points.flat().map(({ atMs }) => atMs));
  const days = Math.ceil((day.getTime() - sinceMs) / DAY_MS);
  return { gets: gets ?? 0, bytes: bytes ?? 0, days };
}

function dimension({ Dimensions = [] }: Metric, name: string): string | undefined {
  return Dimensions.find(({ Name }) => Name === name)?.Value;
}
