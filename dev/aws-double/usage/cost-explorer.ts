import type { BillRowSpec, Bills } from '../store/usage.ts';
import { AwsError } from '../wire/errors.ts';
import type { WireRequest } from '../wire/request.ts';
import {
  createJsonService,
  invalid,
  type JsonCall,
  type JsonServiceDeps,
  pageOf,
} from './json-service.ts';

type Expression = {
  readonly And?: readonly Expression[];
  readonly Or?: readonly Expression[];
  readonly Not?: Expression;
  readonly Dimensions?: { readonly Key: string; readonly Values: readonly string[] };
};

interface Input {
  readonly TimePeriod?: { readonly Start?: string; readonly End?: string };
  readonly Granularity?: string;
  readonly Metrics?: readonly string[];
  readonly GroupBy?: readonly { readonly Type?: string; readonly Key?: string }[];
  readonly Filter?: Expression;
  readonly NextPageToken?: string;
}

const S3 = 'Amazon Simple Storage Service';
const DEFAULT_PAGE = 1_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** What a line shows of itself to filters and groups. */
const DIMENSIONS: Readonly<Record<string, (row: BillRowSpec) => string>> = {
  SERVICE: (row) => row.service ?? S3,
  LINKED_ACCOUNT: (row) => row.linkedAccount,
  RECORD_TYPE: (row) => row.recordType ?? 'Usage',
  USAGE_TYPE: (row) => row.usageType,
  OPERATION: (row) => row.operation ?? '',
};
const METRICS = new Set(['UsageQuantity', 'UnblendedCost', 'NetUnblendedCost']);

/** Creates the server of Cost Explorer: `GetCostAndUsage` by month. */
export function createCostExplorer(
  deps: JsonServiceDeps & { readonly bills: Bills },
): (request: WireRequest) => Promise<void> {
  return createJsonService(deps, {
    service: 'ce',
    version: '1.1',
    targetPrefix: 'AWSInsightsIndexService',
    operations: { GetCostAndUsage: (call) => getCostAndUsage(call, deps.bills) },
  });
}

function getCostAndUsage({ caller, region, input }: JsonCall, bills: Bills) {
  if (region !== 'us-east-1') throw new AwsError('UnrecognizedClientException');
  const bill = bills.get(caller.accountId);
  if (bill?.isEnabled === false)
    throw new AwsError('AccessDeniedException', {
      message: 'User not enabled for cost explorer access',
    });
  const {
    TimePeriod,
    Granularity,
    Metrics = [],
    GroupBy = [],
    Filter,
    NextPageToken,
  } = input as Input;
  const { Start = '', End = '' } = TimePeriod ?? {};
  if (!DAY.test(Start) || !DAY.test(End) || Start >= End) throw invalid('TimePeriod');
  if (Granularity !== 'MONTHLY') throw invalid('Granularity');
  if (Metrics.length === 0 || Metrics.some((name) => !METRICS.has(name))) throw invalid('Metrics');
  const hasNet = bill?.rows.some((row) => row.netUnblendedUsd !== undefined) ?? false;
  if (Metrics.includes('NetUnblendedCost') && bill && !hasNet)
    throw new AwsError('ValidationException', {
      message: 'NetUnblendedCost is not available for this account',
    });
  if (!bill) throw new AwsError('DataUnavailableException');

  const rows = bill.rows.filter(
    (row) => `${row.month}-01` >= Start && `${row.month}-01` < End && matches(row, Filter),
  );
  const groups = new Map<string, BillRowSpec[]>();
  for (const row of rows) {
    const keys = GroupBy.map(({ Key = '' }) => read(Key)(row));
    const id = JSON.stringify(keys);
    groups.set(id, [...(groups.get(id) ?? []), row]);
  }
  const size = bill.groupsPerPage ?? DEFAULT_PAGE;
  const { page, next } = pageOf([...groups], NextPageToken, size);
  return {
    GroupDefinitions: GroupBy,
    ResultsByTime: [
      {
        TimePeriod: { Start, End },
        Total: {},
        Groups: page.map(([id, ofGroup]) => ({
          Keys: JSON.parse(id) as string[],
          Metrics: Object.fromEntries(
            Metrics.map((name) => [name, metric(name, ofGroup, bill.currency ?? 'USD')]),
          ),
        })),
        Estimated: (bill.estimatedMonths ?? []).includes(Start.slice(0, 7)),
      },
    ],
    DimensionValueAttributes: [],
    ...(next === undefined ? {} : { NextPageToken: next }),
  };
}

function metric(name: string, rows: readonly BillRowSpec[], currency: string) {
  const sum = (amount: (row: BillRowSpec) => number) =>
    String(rows.reduce((total, row) => total + amount(row), 0));
  switch (name) {
    case 'UsageQuantity':
      return { Amount: sum((row) => row.quantity), Unit: rows[0]?.unit ?? 'N/A' };
    case 'NetUnblendedCost':
      return { Amount: sum((row) => row.netUnblendedUsd ?? row.unblendedUsd), Unit: currency };
    default:
      return { Amount: sum((row) => row.unblendedUsd), Unit: currency };
  }
}

function matches(row: BillRowSpec, filter: Expression | undefined): boolean {
  if (!filter) return true;
  const { And, Or, Not, Dimensions } = filter;
  if (And) return And.every((each) => matches(row, each));
  if (Or) return Or.some((each) => matches(row, each));
  if (Not) return !matches(row, Not);
  return !Dimensions || Dimensions.Values.includes(read(Dimensions.Key)(row));
}

function read(dimension: string): (row: BillRowSpec) => string {
  const reader = DIMENSIONS[dimension];
  if (!reader) throw invalid(dimension);
  return reader;
}
