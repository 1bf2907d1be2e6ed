import type { ProviderName, StoreLocation } from './catalogue.ts';
import type { MicroUsd } from './money.ts';
import type { Priority } from './priority.ts';
import type { RoutingDecision } from './routing.ts';
import type { Month } from './time.ts';

/**
 * The life of a file:
 *
 *     pending ─→ active ──→ deleting ─→ deleted
 *     pending ─────────────→ deleting
 *     pending ─→ expired ─→ deleting
 *
 * After the insert, the upload's workflow is the only writer of the status.
 */
export const FILE_STATUSES = ['pending', 'active', 'expired', 'deleting', 'deleted'] as const;
export type FileStatus = (typeof FILE_STATUSES)[number];

/** One routed upload. Sizes in bytes. */
export interface FileRecord {
  readonly fileId: string;
  readonly accountId: string;
  readonly status: FileStatus;
  readonly fileName: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly priority: Priority;
  /** The object's location at the init; the account may configure another bucket later. */
  readonly location: StoreLocation;
  readonly objectKey: string;
  readonly routing: RoutingDecision;
  readonly savedVsAws: MicroUsd;
  /** The UTC month of the init; quota, usage records and analytics count the file in it. */
  readonly month: Month;
  readonly createdAt: Date;
  readonly urlExpiresAt: Date;
  /** When the upload's window closes: the URL's life and the grace after it. */
  readonly deadline: Date;
  readonly completedAt?: Date;
  readonly expiredAt?: Date;
  readonly deletedAt?: Date;
  /** Set while the monthly totals may lack an event of the file; the time of that event. */
  readonly totalsPending?: Date;
  /** The time of a delete request that no workflow has started to execute. */
  readonly deletePending?: Date;
}

/** One completed upload. Kept when the file is deleted. */
export interface UsageRecord {
  readonly fileId: string;
  readonly accountId: string;
  readonly month: Month;
  readonly provider: ProviderName;
  readonly sizeBytes: number;
  readonly savedVsAws: MicroUsd;
  readonly recordedAt: Date;
}
