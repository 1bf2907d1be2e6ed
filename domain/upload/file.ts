import type { Priority, ProviderName, StoreLocation } from '../provider/catalogue.ts';
import type { ErrorCode } from '../common/errors.ts';
import type { MicroUsd } from '../pricing/money.ts';
import type { RoutingDecision } from './routing.ts';
import { partSizeFor } from '../common/parts.ts';
import { addSeconds, type Month } from '../common/time.ts';

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[\\t !#-\\[\\]-~]|\\\\[\\t -~])*"';

/**
 * A media type by the grammar of RFC 9110 section 8.3.1, as the source of a regular expression so
 * that the request's schema can carry it. ASCII only: the value is signed and sent as a header.
 */
export const MEDIA_TYPE_PATTERN = `^${TOKEN}/${TOKEN}(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|${QUOTED}))*$`;

/**
 * The life of a file:
 *
 *     pending ─→ active ──→ deleting ─→ deleted
 *     pending ─────────────→ deleting
 *     pending ─→ expired ─→ deleting
 *
 * Each change of status is one conditional write. The API, the upload's workflow and the sweep may all
 * attempt it; one succeeds.
 */
export const FILE_STATUSES = ['pending', 'active', 'expired', 'deleting', 'deleted'] as const;
export type FileStatus = (typeof FILE_STATUSES)[number];

/** The events of a file that the monthly totals count. Each happens to a file at most once. */
export type FileEvent = 'completed' | 'expired' | 'deleted';

/** The parts of a multipart upload: all of `partSizeBytes` but the last. */
export interface PartLayout {
  readonly partSizeBytes: number;
  readonly partCount: number;
}

/** Why the work on a file has stopped, as callers see it. */
export interface FileError {
  readonly code: ErrorCode;
  readonly message: string;
}

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
  /** Until then one of the presigned URLs of this upload may be valid. */
  readonly urlExpiresAt: Date;
  /** When the upload's window closes: the URL's life and the grace after it. */
  readonly deadline: Date;
  /** The MD5 that the PUT must send as `Content-MD5`, base64. */
  readonly contentMd5?: string;
  readonly multipart?: PartLayout & {
    /** The id of the upload at the store; missing until the store has created it. */
    readonly uploadId?: string;
  };
  readonly completedAt?: Date;
  readonly expiredAt?: Date;
  readonly deletedAt?: Date;
  /** When the present delete began. Set while the file is deleting. */
  readonly deleteStartedAt?: Date;
  /** When a delete of the file first stopped; from then on the file does not keep its provider in use. */
  readonly deleteStoppedAt?: Date;
  /** The last failure of a delete that has stopped. A stopped delete may be resumed. */
  readonly error?: FileError;
  /**
   * Work is left at the store. For a deleted file: a URL was valid at the delete, so the object is deleted
   * once more when the window closes. For an expired one: its multipart upload is aborted.
   */
  readonly cleanupPending?: true;
  /** The events of the file that the monthly totals may lack. */
  readonly totalsPending?: readonly FileEvent[];
  /** When the sweep continues the work on the file; missing if none is left. */
  readonly nextAttemptAt?: Date;
  /** How often the sweep has continued the present work. */
  readonly attempts?: number;
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

/** The time that the workflow has to settle a file after its deadline. */
const SETTLE_SECONDS = 60;
/** How long a delete that the store refuses is repeated. */
const DELETE_SECONDS = 7 * 86_400;

/** When the sweep looks at a file that its workflow should settle at the deadline. */
export function afterSettling({ deadline }: Pick<FileRecord, 'deadline'>): Date {
  return addSeconds(deadline, SETTLE_SECONDS);
}

/** Whether a delete that fails now stops: it has been repeated for 7 days. */
export function isDeleteOver(
  { deleteStartedAt }: Pick<FileRecord, 'deleteStartedAt'>,
  now: Date,
): boolean {
  return deleteStartedAt !== undefined && now >= addSeconds(deleteStartedAt, DELETE_SECONDS);
}

/** Whether a clean-up that fails now stops: it has been repeated for 7 days after the deadline. */
export function isCleanupOver({ deadline }: Pick<FileRecord, 'deadline'>, now: Date): boolean {
  return now >= addSeconds(deadline, DELETE_SECONDS);
}

const SMALLEST_PART_BYTES = 8 * 2 ** 20;

/**
 * The parts of a file: the larger of 8 MiB and a 10,000th of its size, rounded up to a whole MiB. All
 * are equal but the last, as R2 demands. A file of 0 bytes has one part.
 */
export function planParts(sizeBytes: number): PartLayout {
  const partSizeBytes = partSizeFor(sizeBytes, SMALLEST_PART_BYTES);
  return { partSizeBytes, partCount: Math.max(1, Math.ceil(sizeBytes / partSizeBytes)) };
}

/** The size of a part, numbered from 1. */
export function toPartSize(
  sizeBytes: number,
  { partSizeBytes }: PartLayout,
  partNumber: number,
): number {
  return Math.min(partSizeBytes, sizeBytes - (partNumber - 1) * partSizeBytes);
}

/** A file as its workflow sees it; `missing`: there is no such file. */
export interface UploadState {
  readonly status: FileStatus | 'missing';
  /** Work is left at the store after the window has closed. */
  readonly cleanupPending: boolean;
  /** The delete has stopped; a call or new credentials resume it. */
  readonly isStopped?: true;
}

/** The next work on a file. `end`: none. */
export type UploadStep = 'wait' | 'settle' | 'delete' | 'cleanUp' | 'end';

/**
 * What the workflow of an upload does next.
 *
 * | file                                     | before the deadline | after it  |
 * | ---------------------------------------- | ------------------- | --------- |
 * | missing or pending                       | `wait`              | `settle`  |
 * | deleting                                 | `delete`            | `delete`  |
 * | deleting, stopped                        | `end`               | `end`     |
 * | deleted or expired, clean-up pending     | `wait`              | `cleanUp` |
 * | active, or nothing pending               | `end`               | `end`     |
 */
export function nextStep(
  { status, cleanupPending, isStopped }: UploadState,
  isOpen: boolean,
): UploadStep {
  if (status === 'deleting') return isStopped === true ? 'end' : 'delete';
  if (status === 'pending' || status === 'missing') return isOpen ? 'wait' : 'settle';
  if (cleanupPending) return isOpen ? 'wait' : 'cleanUp';
  return 'end';
}
