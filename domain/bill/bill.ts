import { DAYS_PER_MONTH } from '../../shared/units.ts';
/** A customer's bill for S3 and what was measured of a bucket, as the cloud answers them. */

/** One usage type and operation of a month, as Cost Explorer answers it. */
export interface BillRow {
  /** With the prefix of its region, as `EUC1-TimedStorage-ByteHrs`. */
  readonly usageType: string;
  readonly operation: string;
  readonly quantity: number;
  /** As `GB-Month`. */
  readonly unit: string;
  /** `UnblendedCost` in USD. */
  readonly listUsd: number;
  /** `NetUnblendedCost` in USD: what is left after a negotiated discount. */
  readonly netUsd: number;
}

/** The S3 lines of one account's bill for a closed calendar month. */
export interface Bill {
  /** The month in UTC, as `2026-10`. */
  readonly period: string;
  /** The cloud may still change it. */
  readonly estimated: boolean;
  /** Never empty. */
  readonly rows: readonly BillRow[];
}

/** The reads of a whole bucket in the 30 days before the day of a scan. */
export interface MeasuredReads {
  readonly gets: number;
  readonly bytes: number;
  /**
   * The span: from the first day on which any request metric of the filter has a point to the day
   * of the scan. A day without requests has no point and counts as 0.
   */
  readonly days: number;
}

/** The bytes of a bucket in each tier of INTELLIGENT_TIERING. */
export type TierBytes = Readonly<Record<Tier, number>>;

export const TIERS = [
  'frequent',
  'infrequent',
  'archiveInstant',
  'archive',
  'deepArchive',
] as const;
export type Tier = (typeof TIERS)[number];

/** What was measured of a bucket; null where it was not. */
export interface BucketMetrics {
  readonly reads: MeasuredReads | null;
  readonly tiers: TierBytes | null;
}

/** What a customer pays and reads, beside the listing of a scan. */
export interface AccountUsage {
  readonly bill: Bill | null;
  /** By the name of the bucket. */
  readonly metrics: ReadonlyMap<string, BucketMetrics>;
}

export const NO_USAGE: AccountUsage = { bill: null, metrics: new Map() };

/** Reads that were measured on fewer days say too little. */
export const LEAST_MEASURED_DAYS = 14;

/** By how much requests and transfer of the month are multiplied to be those of 30 days. */
export function monthScale(period: string): number {
  const [year = 0, month = 0] = period.split('-').map(Number);
  return DAYS_PER_MONTH / new Date(Date.UTC(year, month, 0)).getUTCDate();
}
