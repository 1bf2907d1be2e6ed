import type { Priority, ProviderName, StoreLimits, StoreLocation } from '../providers/catalogue.ts';
import type { StoreWork, WorkAtStore } from '../providers/pause.ts';
import type { ErrorCode } from '../common/errors.ts';
import type { MicroUsd } from '../pricing/money.ts';
import type { RoutingDecision } from './routing.ts';
import { INTERVALS } from '../common/intervals.ts';
import { partSizeFor } from '../common/parts.ts';
import { addSeconds, type Month } from '../common/time.ts';

const TOKEN_CHARACTERS = "!#$%&'*+.^_`|~0-9A-Za-z-";
const TOKEN = `[${TOKEN_CHARACTERS}]+`;
/** With commas, which no token has: browsers' recorders name `video/webm;codecs=vp9,opus`. */
const VALUE = `[,${TOKEN_CHARACTERS}]+`;
const QUOTED = '"(?:[\\t !#-\\[\\]-~]|\\\\[\\t -~])*"';
const PARAMETER = `${TOKEN}=(?:${VALUE}|${QUOTED})`;

/**
 * A media type by the grammar of RFC 9110 sections 8.3.1 and 5.6.6, as the source of a regular
 * expression so that the request's schema can carry it. ASCII only: the value is signed and sent as
 * a header.
 */
export const MEDIA_TYPE_PATTERN = `^${TOKEN}/${TOKEN}(?:[ \\t]*;(?:[ \\t]*${PARAMETER})?)*$`;

/**
 * The life of a file:
 *
 *     pending ─→ active ──→ deleting ─→ deleted
 *     pending ─────────────→ deleting
 *     pending ─→ expired ─→ active
 *     pending ─→ expired ─→ deleting
 *
 * Each change of status is one conditional write. The API, the upload's workflow and the sweep may
 * all attempt it; one succeeds.
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

/**
 * An object of a file at a place that the file has left, or a copy at a place where it never was.
 * It waits for its delete, and until then no relocation writes to that place.
 */
export interface OldObject {
  readonly placeKey: string;
  readonly location: StoreLocation;
  readonly relocationId: string;
  /** As it was when it was copied; null: what names the relocation as its writer. */
  readonly etag: string | null;
  /** The SHA-256 of the bytes that were copied from it, in lower-case hex; null: unknown. */
  readonly sha256: string | null;
  /** When no URL to it can be alive. */
  readonly deleteAt: Date;
  /** When its delete was last begun; the delete has reached the store some seconds later. */
  readonly deleteBegunAt?: Date;
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
  /** Where the object is: chosen at the init, changed by relocations. */
  readonly location: StoreLocation;
  /** What relocations have left elsewhere. */
  readonly oldObjects?: readonly OldObject[];
  /** Raised by each write about `location` and `oldObjects`: the guard against late workers. */
  readonly placeRevision?: number;
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
  /**
   * When the store of a file that was never completed is looked at a last time. What began before
   * the deadline has ended by then: a slow PUT, a late part, an assembly.
   */
  readonly lastLookAt: Date;
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
  /** When the file's delete first stopped; from then on it does not keep its provider in use. */
  readonly deleteStoppedAt?: Date;
  /** The last failure of a delete that has stopped. A stopped delete may be resumed. */
  readonly error?: FileError;
  /** When the store is looked at again for late objects. Set for a deleted or expired file. */
  readonly lookAgainAt?: Date;
  /** The events of the file that the monthly totals may lack. */
  readonly totalsPending?: readonly FileEvent[];
  /** When the sweep continues the work on the file; missing if none is left. */
  readonly nextAttemptAt?: Date;
  /** Its workflow was not started with it: the sweep starts it. */
  readonly unstarted?: true;
  /** How often the sweep has continued the present work. */
  readonly attempts?: number;
  /** The work for which it waits without attempts, because its store refuses it. */
  readonly held?: WorkAtStore & { readonly since: Date };
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

const DAY_SECONDS = 86_400;
/** How long the store of a closed upload may be silent or refuse before the file expires unseen. */
const SETTLE_SECONDS = DAY_SECONDS;
/** How long a delete, or a late look, that the store refuses is repeated. */
const DELETE_SECONDS = 7 * DAY_SECONDS;

/** When the sweep looks at a file that its workflow should have settled at that time. */
export function afterSettling(dueAt: Date): Date {
  return addSeconds(dueAt, INTERVALS.settleSeconds);
}

/** When the window of an upload closes, and when its store is looked at a last time. */
export function uploadWindow(
  urlExpiresAt: Date,
  graceSeconds: number,
): Pick<FileRecord, 'deadline' | 'lastLookAt'> {
  const deadline = addSeconds(urlExpiresAt, graceSeconds);
  return {
    deadline,
    lastLookAt: addSeconds(deadline, Math.max(INTERVALS.lastLookSeconds, graceSeconds)),
  };
}

/** Which of the active files at a place. */
export interface FileSelection {
  readonly priority?: Priority;
  readonly createdBefore: Date;
  readonly completedBefore: Date;
  readonly fileIds?: readonly string[];
}

/** Every place where an object of the file may be. */
export function placesOfFile({
  location,
  oldObjects = [],
}: Pick<FileRecord, 'location' | 'oldObjects'>): readonly StoreLocation[] {
  return [location, ...oldObjects.map((object) => object.location)];
}

/** The work that is left at the store of a file. Undefined: none. */
export function workAtStore({
  status,
  error,
  lookAgainAt,
}: Pick<FileRecord, 'status' | 'error' | 'lookAgainAt'>): StoreWork | undefined {
  if (status === 'pending') return 'settle';
  if (status === 'deleting') return error ? undefined : 'delete';
  return lookAgainAt && 'lookAgain';
}

/** When failing work at the store is given up: a day after the deadline, or after 7 days. */
export function givenUpAt({
  status,
  deadline,
  deleteStartedAt,
  lastLookAt,
}: Pick<FileRecord, 'status' | 'deadline' | 'deleteStartedAt' | 'lastLookAt'>): Date {
  if (status === 'pending') return addSeconds(deadline, SETTLE_SECONDS);
  if (status === 'deleting' && deleteStartedAt) return addSeconds(deleteStartedAt, DELETE_SECONDS);
  return addSeconds(lastLookAt, DELETE_SECONDS);
}

/**
 * When the store is looked at again, after a look at `now`, for what arrives late. Undefined:
 * never.
 *
 * | file                            | looks                                                     |
 * | ------------------------------- | --------------------------------------------------------- |
 * | expired                         | at `lastLookAt`                                           |
 * | deleted without being completed | at the deadline and at `lastLookAt`                       |
 * | deleted after it was completed  | at the deadline, if a URL of its PUT is valid at the delete |
 */
export function nextLook(
  {
    status,
    completedAt,
    urlExpiresAt,
    deadline,
    lastLookAt,
  }: Pick<FileRecord, 'status' | 'completedAt' | 'urlExpiresAt' | 'deadline' | 'lastLookAt'>,
  now: Date,
): Date | undefined {
  if (completedAt) return now < urlExpiresAt ? deadline : undefined;
  if (status === 'deleted' && now < deadline) return deadline;
  return now < lastLookAt ? lastLookAt : undefined;
}

const SMALLEST_PART_BYTES = 8 * 2 ** 20;

/**
 * The parts of a file: the larger of 8 MiB and its size by the store's number of parts, rounded up
 * to a whole MiB. All are equal but the last, as R2 demands. A file of 0 bytes has one part.
 */
export function planParts(sizeBytes: number, { parts, partBytes }: StoreLimits): PartLayout {
  const smallest = Math.max(SMALLEST_PART_BYTES, partBytes?.smallest ?? 0);
  const partSizeBytes = partSizeFor(sizeBytes, smallest, parts);
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
  /** When the store is looked at again; null: never. Milliseconds since 1970. */
  readonly lookAgainAtMs: number | null;
  /** The delete has stopped; a call or new credentials resume it. */
  readonly isStopped?: true;
  /** It waits for its store, and the sweep wakes it. */
  readonly isHeld?: true;
}

/** The end of an upload's window, and now. Milliseconds since 1970. */
export interface UploadTime {
  readonly deadlineMs: number;
  readonly nowMs: number;
}

/** The next work on a file, or until when there is none. `end`: none is left. */
export type UploadStep =
  | { readonly do: 'settle' | 'delete' | 'lookAgain' | 'end' }
  | { readonly do: 'wait'; readonly untilMs: number };

/**
 * What the workflow of an upload does next.
 *
 * | file                                 | before it is due     | once it is due |
 * | ------------------------------------ | -------------------- | -------------- |
 * | missing or pending                   | `wait`, for the deadline | `settle`   |
 * | deleting                             | `delete`             | `delete`       |
 * | deleting, stopped                    | `end`                | `end`          |
 * | deleted or expired, with a late look | `wait`, for the look | `lookAgain`    |
 * | active, or without a late look       | `end`                | `end`          |
 * | held                                 | `end`                | `end`          |
 */
export function nextStep(
  { status, lookAgainAtMs, isStopped, isHeld }: UploadState,
  { deadlineMs, nowMs }: UploadTime,
): UploadStep {
  const once = (untilMs: number, step: 'settle' | 'lookAgain'): UploadStep =>
    nowMs < untilMs ? { do: 'wait', untilMs } : { do: step };
  if (isHeld === true) return { do: 'end' };
  if (status === 'deleting') return { do: isStopped === true ? 'end' : 'delete' };
  if (status === 'pending') return once(deadlineMs, 'settle');
  return lookAgainAtMs === null ? { do: 'end' } : once(lookAgainAtMs, 'lookAgain');
}
