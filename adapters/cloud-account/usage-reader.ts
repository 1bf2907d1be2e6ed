import type { Month } from '../../domain/common/time.ts';
import type { Bill } from '../../domain/bill/bill.ts';
import { openCloudWatch, type CloudWatch } from './cloud-watch.ts';
import { readBill } from './cost-explorer.ts';
import type { CredentialSource } from './session.ts';

/** Addresses that the operator set in place of AWS's own. */
export interface UsageEndpoints {
  readonly costExplorer: string | undefined;
  readonly cloudWatch: string | undefined;
}

export interface UsageReaderDeps {
  readonly credentials: CredentialSource;
  readonly cloudAccountId: string;
  readonly endpoints: UsageEndpoints;
  /** Called with what AWS charges for an answer, in USD. */
  readonly onCharge: (usd: number) => void;
}

/** Source: https://aws.amazon.com/aws-cost-management/pricing/, https://aws.amazon.com/cloudwatch/pricing/ */
const PAGE_USD = 0.01;
const METRIC_USD = 0.00001;
/** Bounds one call with its repetitions. */
const CALL_MS = 10_000;

/** Reads the bill and the metrics of a customer's account. It rejects with a `UsageError`. */
export type UsageReader = ReturnType<typeof createUsageReader>;

export function createUsageReader(deps: UsageReaderDeps) {
  const { credentials, cloudAccountId, endpoints, onCharge } = deps;
  return {
    /** The S3 lines of a month; null if there are none. */
    bill: (period: Month): Promise<Bill | null> =>
      readBill(
        {
          credentials,
          cloudAccountId,
          endpoint: endpoints.costExplorer,
          onPage: () => onCharge(PAGE_USD),
          timeoutMs: CALL_MS,
        },
        period,
      ),
    /** The caller closes it. */
    openCloudWatch: (region: string): Promise<CloudWatch> =>
      openCloudWatch({
        credentials,
        region,
        endpoint: endpoints.cloudWatch,
        onMetrics: (count) => onCharge(count * METRIC_USD),
        timeoutMs: CALL_MS,
      }),
  };
}
