import type { Quote } from '../decision/types.ts';
import type { MigrationError } from '../migrations/migration.ts';
import type { Priority, StoreLocation } from '../providers/catalogue.ts';
import { addSeconds } from '../common/time.ts';
import type { FileRecord, FileSelection } from '../uploads/file.ts';

const DAY_SECONDS = 86_400;

/**
 * The life of a relocation:
 *
 *     planning ─→ copying ─→ draining ─→ completed, completed_with_failures
 *     planning, copying ─→ cancelled, failed
 *
 * After any end, the old objects of the files that it has moved are deleted all the same.
 */
export const RELOCATION_STATUSES = [
  'planning',
  'copying',
  'draining',
  'completed',
  'completed_with_failures',
  'cancelled',
  'failed',
] as const;
export type RelocationStatus = (typeof RELOCATION_STATUSES)[number];

/** A place of the account, as far as a request names it. */
export type NamedPlace = Pick<StoreLocation, 'provider' | 'bucketName'> &
  Partial<Pick<StoreLocation, 'region' | 'accountId' | 'jurisdiction'>>;

/** Which of the active files of a place; all by default. */
export interface RelocationSelection {
  readonly priority?: Priority;
  readonly minAgeDays?: number;
  readonly fileIds?: readonly string[];
}

/** Files of an account that move from one of its places to another. */
export interface RelocationRecord {
  readonly relocationId: string;
  readonly accountId: string;
  readonly status: RelocationStatus;
  readonly from: StoreLocation;
  readonly to: StoreLocation;
  readonly select: RelocationSelection;
  readonly quote: Quote;
  readonly maxTotalUsd: number;
  /** The `sub` of the person. */
  readonly startedBy: string;
  readonly startedByName: string;
  readonly requestId: string;
  /** Ages are those of this moment, and later files are left out. */
  readonly startedAt: Date;
  /** The files are planned up to this id; null: none is. */
  readonly after: string | null;
  readonly pages: number;
  readonly files: number;
  readonly bytes: number;
  /** Pages before it are copied. */
  readonly page: number;
  /** Why no further file is copied. */
  readonly stopping: RelocationStop | null;
  readonly movedAt: Date | null;
  readonly completedAt: Date | null;
  readonly error: MigrationError | null;
  /** What was copied so far, by the rules of the quote. */
  readonly costUsd: number;
}

/** A person has cancelled it, or it has failed. */
export interface RelocationStop {
  readonly status: 'cancelled' | 'failed';
  readonly error: MigrationError | null;
}

/** Whether it copies, so that no other one may begin at the same place. */
export function isRunning({ status }: Pick<RelocationRecord, 'status'>): boolean {
  return status === 'planning' || status === 'copying';
}

/** How long a delete that was begun may take until it has reached the store, or never will. */
export const OLD_DELETE_SETTLES_SECONDS = 30;

/** How long the delete of an old object is tried; then the object stays. */
export const OLD_DELETE_SECONDS = 7 * DAY_SECONDS;

/** How long URLs live, and how long old objects wait after them. */
export interface DrainTimes {
  readonly downloadUrlSeconds: number;
  readonly relocationDrainSeconds: number;
}

/** When the object that a file leaves now is deleted: after the last URL to it has ended. */
export function drainEnd(
  { urlExpiresAt }: Pick<FileRecord, 'urlExpiresAt'>,
  { downloadUrlSeconds, relocationDrainSeconds }: DrainTimes,
  now: Date,
): Date {
  const lastDownload = addSeconds(now, downloadUrlSeconds);
  const lastUrl = urlExpiresAt > lastDownload ? urlExpiresAt : lastDownload;
  return addSeconds(lastUrl, relocationDrainSeconds);
}

/** The places as operators see them. */
export function namesOf({ from, to }: Pick<RelocationRecord, 'from' | 'to'>) {
  const name = ({ provider, bucketName }: StoreLocation) => `${provider}/${bucketName}`;
  return { from: name(from), to: name(to) };
}

/** Which files of the place it moves. */
export function selectionOf({
  select: { priority, minAgeDays = 0, fileIds },
  startedAt,
}: Pick<RelocationRecord, 'select' | 'startedAt'>): FileSelection {
  return {
    createdBefore: addSeconds(startedAt, -minAgeDays * DAY_SECONDS),
    // What is completed meanwhile is in no estimate.
    completedBefore: startedAt,
    ...(priority === undefined ? {} : { priority }),
    ...(fileIds === undefined ? {} : { fileIds }),
  };
}
