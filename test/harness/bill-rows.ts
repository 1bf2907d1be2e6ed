import type { BillRowSpec } from '../../dev/aws-double/store/usage.ts';

/** The least bill: it has nothing to say of the regions that tests use. */
export function requestElsewhere(linkedAccount: string): BillRowSpec {
  const { month } = lastMonth();
  const costs = { unblendedUsd: 0.000005, netUnblendedUsd: 0.000005 };
  return { month, linkedAccount, usageType: 'EUS2-Requests-Tier1', quantity: 1, ...costs };
}

/**
 * So many GB that buckets of us-east-1 let out to the internet in 30 days, at the list price. No other line says what
 * machines of the same cloud read or write.
 */
export function internetEgress(linkedAccount: string, gb: number): BillRowSpec {
  const { month, days } = lastMonth();
  const quantity = (gb / 30) * days;
  const usage = { usageType: 'DataTransfer-Out-Bytes', operation: 'GetObject', quantity };
  const usd = quantity * 0.09;
  return { month, linkedAccount, ...usage, unblendedUsd: usd, netUnblendedUsd: usd };
}

/** The month that an audit of today asks about, and its days. */
export function lastMonth(): { readonly month: string; readonly days: number } {
  const now = new Date();
  const last = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0));
  return { month: last.toISOString().slice(0, 7), days: last.getUTCDate() };
}
