import type { CostExplorerClient, Group, MetricValue } from '@aws-sdk/client-cost-explorer';
import { addMonths, type Month } from '../../domain/common/time.ts';
import type { Bill, BillRow } from '../../domain/bill/bill.ts';
import type { CredentialSource } from './session.ts';
import { callWithSession, clientOptions, readPages, UsageError } from './usage-call.ts';

export interface CostExplorerDeps {
  readonly credentials: CredentialSource;
  /** The 12 digits of the role's account: a payer's Cost Explorer shows other accounts too. */
  readonly cloudAccountId: string;
  /** Configured by the operator in place of AWS's own. */
  readonly endpoint: string | undefined;
  /** Called for each page that was answered. */
  readonly onPage: () => void;
  readonly timeoutMs: number;
}

/** Cost Explorer has one region for all. */
const REGION = 'us-east-1';
const SERVICE = 'Amazon Simple Storage Service';
const RECORD_TYPES = ['Usage', 'DiscountedUsage'];
const METRICS = ['UsageQuantity', 'UnblendedCost', 'NetUnblendedCost'];
/** More rows than S3 has usage types, operations and regions. */
const MAX_PAGES = 100;
const CURRENCY = 'USD';

/**
 * The S3 lines of an account's bill for a month; null if there are none.
 *
 * @throws UsageError
 */
export async function readBill(deps: CostExplorerDeps, period: Month): Promise<Bill | null> {
  const { CostExplorerClient } = await import('@aws-sdk/client-cost-explorer');
  return await callWithSession(deps.credentials, async (credentials) => {
    const client = new CostExplorerClient(clientOptions(REGION, credentials, deps.endpoint));
    try {
      return await readRows(client, deps, period, METRICS);
    } catch (error) {
      // An account without an agreement need not have the last metric.
      if (!isValidation(error)) throw error;
      return await readRows(client, deps, period, METRICS.slice(0, -1));
    } finally {
      client.destroy();
    }
  });
}

async function readRows(
  client: CostExplorerClient,
  { cloudAccountId, onPage, timeoutMs }: CostExplorerDeps,
  period: Month,
  metrics: readonly string[],
): Promise<Bill | null> {
  const { GetCostAndUsageCommand } = await import('@aws-sdk/client-cost-explorer');
  const rows: BillRow[] = [];
  let estimated = false;
  const ask = (token: string | undefined) =>
    client.send(
      new GetCostAndUsageCommand({
        TimePeriod: { Start: `${period}-01`, End: `${addMonths(period, 1)}-01` },
        Granularity: 'MONTHLY',
        Metrics: [...metrics],
        GroupBy: [
          { Type: 'DIMENSION', Key: 'USAGE_TYPE' },
          { Type: 'DIMENSION', Key: 'OPERATION' },
        ],
        Filter: {
          And: [
            { Dimensions: { Key: 'SERVICE', Values: [SERVICE] } },
            { Dimensions: { Key: 'LINKED_ACCOUNT', Values: [cloudAccountId] } },
            { Dimensions: { Key: 'RECORD_TYPE', Values: RECORD_TYPES } },
          ],
        },
        ...(token === undefined ? {} : { NextPageToken: token }),
      }),
      { abortSignal: AbortSignal.timeout(timeoutMs) },
    );
  const pages = readPages(ask, (page) => page.NextPageToken, MAX_PAGES);
  for await (const { ResultsByTime = [] } of pages) {
    onPage();
    for (const { Estimated, Groups = [] } of ResultsByTime) {
      estimated ||= Estimated === true;
      rows.push(...Groups.map(toRow));
    }
  }
  return rows.length > 0 ? { period, estimated, rows } : null;
}

function toRow({ Keys: [usageType = '', operation = ''] = [], Metrics = {} }: Group): BillRow {
  const listUsd = readAmount(Metrics['UnblendedCost'], CURRENCY);
  const net = Metrics['NetUnblendedCost'];
  return {
    usageType,
    operation,
    quantity: readAmount(Metrics['UsageQuantity']),
    unit: Metrics['UsageQuantity']?.Unit ?? '',
    listUsd,
    netUsd: net === undefined ? listUsd : readAmount(net, CURRENCY),
  };
}

/** @throws UsageError if it is no number, or in another unit: no figure of it can be trusted. */
function readAmount({ Amount, Unit }: MetricValue = {}, unit = Unit): number {
  const amount = Number(Amount);
  if (!Number.isFinite(amount) || Unit !== unit)
    throw new UsageError('unavailable', new Error('an amount that is not in USD'));
  return amount;
}

function isValidation(error: unknown): boolean {
  return error instanceof Error && /^Validation(?:Exception|Error)$/.test(error.name);
}
