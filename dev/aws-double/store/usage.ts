/** A raw line of a bill, before any filter. */
export interface BillRowSpec {
  /** As `2026-10`. */
  readonly month: string;
  readonly service?: string;
  readonly linkedAccount: string;
  /** `Usage` by default; `Credit`, `Tax`, `DiscountedUsage`, … */
  readonly recordType?: string;
  readonly usageType: string;
  readonly operation?: string;
  readonly quantity: number;
  readonly unit?: string;
  readonly unblendedUsd: number;
  /** Left out in all lines: the account has no net costs. */
  readonly netUnblendedUsd?: number;
}

/** What Cost Explorer knows of an account; of a payer: of all its linked accounts. */
export interface BillSpec {
  readonly accountId: string;
  /** False: the account has never opened Cost Explorer. */
  readonly isEnabled?: boolean;
  readonly estimatedMonths?: readonly string[];
  readonly currency?: string;
  readonly groupsPerPage?: number;
  readonly rows: readonly BillRowSpec[];
}

export type Bills = ReturnType<typeof createBills>;

export function createBills() {
  const bills = new Map<string, BillSpec>();
  return {
    put: (spec: BillSpec) => void bills.set(spec.accountId, spec),
    get: (accountId: string) => bills.get(accountId),
  };
}

/** A series of daily values. */
export interface MetricSpec {
  readonly accountId: string;
  readonly region: string;
  /** `AWS/S3` by default. */
  readonly namespace?: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  /** By day, as `2026-10-31`. A day without requests has no value: 0 is left out of request metrics. */
  readonly values: Readonly<Record<string, number>>;
}

/** As CloudWatch has it: no point for a day without requests, and no metric without a point. */
function withoutZeros(spec: MetricSpec): MetricSpec[] {
  if (spec.dimensions['FilterId'] === undefined) return [spec];
  const values = Object.entries(spec.values).filter(([, value]) => value > 0);
  return values.length === 0 ? [] : [{ ...spec, values: Object.fromEntries(values) }];
}

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const series: MetricSpec[] = [];
  return {
    put: (specs: readonly MetricSpec[]) => void series.push(...specs.flatMap(withoutZeros)),
    of: (accountId: string, region: string) =>
      series.filter((each) => each.accountId === accountId && each.region === region),
  };
}
