import type { Metrics } from '../store/usage.ts';
import type { WireRequest } from '../wire/request.ts';
import {
  createJsonService,
  invalid,
  type JsonCall,
  type JsonServiceDeps,
  pageOf,
} from './json-service.ts';

interface Dimension {
  readonly Name?: string;
  readonly Value?: string;
}

interface Query {
  readonly Id?: string;
  readonly MetricStat?: {
    readonly Metric?: {
      readonly Namespace?: string;
      readonly MetricName?: string;
      readonly Dimensions?: readonly Dimension[];
    };
    readonly Period?: number;
    readonly Stat?: string;
  };
}

const METRICS_PER_PAGE = 500;
const MAX_QUERIES = 500;
const DAY_SECONDS = 86_400;
const RESULTS_PER_PAGE = 100;
const S3 = 'AWS/S3';

/** Creates the server of CloudWatch: `ListMetrics`, and `GetMetricData` of daily values. */
export function createCloudWatch(
  deps: JsonServiceDeps & { readonly metrics: Metrics },
): (request: WireRequest) => Promise<void> {
  return createJsonService(deps, {
    service: 'monitoring',
    version: '1.0',
    targetPrefix: 'GraniteServiceVersion20100801',
    operations: {
      ListMetrics: (call) => listMetrics(call, deps.metrics),
      GetMetricData: (call) => getMetricData(call, deps.metrics),
    },
  });
}

function listMetrics({ caller, region, input }: JsonCall, metrics: Metrics) {
  const {
    Namespace,
    MetricName,
    Dimensions = [],
    NextToken,
  } = input as {
    readonly Namespace?: string;
    readonly MetricName?: string;
    readonly Dimensions?: readonly Dimension[];
    readonly NextToken?: string;
  };
  const found = metrics.of(caller.accountId, region).filter(
    (each) =>
      (Namespace === undefined || Namespace === (each.namespace ?? S3)) &&
      (MetricName === undefined || MetricName === each.name) &&
      Dimensions.every(({ Name = '', Value }) => {
        const has = each.dimensions[Name];
        return has !== undefined && (Value === undefined || Value === has);
      }),
  );
  const { page, next } = pageOf(found, NextToken, METRICS_PER_PAGE);
  return {
    Metrics: page.map(({ namespace = S3, name, dimensions }) => ({
      Namespace: namespace,
      MetricName: name,
      Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
    })),
    ...(next === undefined ? {} : { NextToken: next }),
  };
}

function getMetricData({ caller, region, input }: JsonCall, metrics: Metrics) {
  const {
    MetricDataQueries = [],
    StartTime,
    EndTime,
    NextToken,
  } = input as {
    readonly MetricDataQueries?: readonly Query[];
    readonly StartTime?: number;
    readonly EndTime?: number;
    readonly NextToken?: string;
  };
  if (StartTime === undefined || EndTime === undefined || StartTime >= EndTime)
    throw invalid('StartTime');
  if (MetricDataQueries.length === 0 || MetricDataQueries.length > MAX_QUERIES)
    throw invalid('MetricDataQueries');
  const ids = new Set(MetricDataQueries.map(({ Id }) => Id));
  if (ids.size !== MetricDataQueries.length) throw invalid('Id');
  const known = metrics.of(caller.accountId, region);
  const { page, next } = pageOf(MetricDataQueries, NextToken, RESULTS_PER_PAGE);
  return {
    MetricDataResults: page.map(({ Id = '', MetricStat }) => {
      const { Metric, Period, Stat } = MetricStat ?? {};
      if (!/^[a-z]\w*$/.test(Id) || Period !== DAY_SECONDS || Stat === undefined)
        throw invalid('MetricStat');
      const series = known.find(
        ({ namespace = S3, name, dimensions }) =>
          namespace === Metric?.Namespace &&
          name === Metric.MetricName &&
          Object.keys(dimensions).length === (Metric.Dimensions ?? []).length &&
          (Metric.Dimensions ?? []).every(({ Name = '', Value }) => dimensions[Name] === Value),
      );
      const points = Object.entries(series?.values ?? {})
        .map(([day, value]) => ({ at: Date.parse(`${day}T00:00:00Z`) / 1000, value }))
        .filter(({ at }) => at >= StartTime && at < EndTime)
        .sort((a, b) => b.at - a.at);
      return {
        Id,
        Label: Metric?.MetricName ?? '',
        Timestamps: points.map(({ at }) => at),
        Values: points.map(({ value }) => value),
        StatusCode: 'Complete',
      };
    }),
    Messages: [],
    ...(next === undefined ? {} : { NextToken: next }),
  };
}
