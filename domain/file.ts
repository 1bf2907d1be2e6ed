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
  /** Where the object was sent, remembered: the account may configure another bucket later. */
  readonly location: StoreLocation;
  readonly objectKey: string;
  readonly routing: RoutingDecision;
  readonly savedVsAws: MicroUsd;
  /** The UTC month of the init: quota, ledger and analytics count the file there. */
  readonly month: Month;
  readonly createdAt: Date;
  readonly urlExpiresAt: Date;
  /** When the upload's window closes: the URL's life and the grace after it. */
  readonly deadline: Date;
  readonly completedAt?: Date;
  readonly expiredAt?: Date;
  readonly deletedAt?: Date;
  /** Since when something has happened to the file that the sums may not know yet. */
  readonly totalsPending?: Date;
  /** Since when a delete is asked for that no workflow has begun to carry out. */
  readonly deleteDue?: Date;
}

/** One completed upload in the ledger. Kept when the file is deleted. */
export interface UsageRecord {
  readonly fileId: string;
  readonly accountId: string;
  readonly month: Month;
  readonly provider: ProviderName;
  readonly sizeBytes: number;
  readonly savedVsAws: MicroUsd;
  readonly recordedAt: Date;
}
