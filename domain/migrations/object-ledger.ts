/** A migration object by object: the manifest lists what to copy, the ledger the outcomes. */

/** An object of the source as listed. */
export interface ManifestEntry {
  readonly key: string;
  readonly sizeBytes: number;
  /** As listed, without its quotes. */
  readonly etag: string;
  /** As `toISOString()` writes it. */
  readonly lastModified: string;
  readonly storageClass: string;
}

/** `removed`: a round has deleted it at the target, because the source no longer has it. */
export const OBJECT_OUTCOMES = ['copied', 'skipped', 'failed', 'removed'] as const;
export type ObjectOutcome = (typeof OBJECT_OUTCOMES)[number];

/** Why an object was not copied; `FAILURE_REASONS` has the message. */
export const OBJECT_FAILURES = [
  'needs_restore',
  'class_without_price',
  'key_too_long',
  'object_too_large',
  'key_conflict',
  'quote_exceeded',
  'source_missing',
  'source_changing',
  'source_incomplete',
  'source_refused',
  'source_unavailable',
  'target_refused',
  'target_rejected',
  'target_unavailable',
  'target_differs',
  'target_occupied',
  'object_changed',
  'old_object_waits',
  'old_object_changed',
  'old_object_refused',
  'file_deleted',
  'file_moved',
] as const;
export type ObjectFailure = (typeof OBJECT_FAILURES)[number];

export const FAILURE_REASONS: Readonly<Record<ObjectFailure, string>> = {
  needs_restore: 'it is in an archived class and must be restored first',
  class_without_price: 'its storage class has no price, so no quote covers it',
  key_too_long: 'its key at the target would be longer than 1,024 bytes',
  object_too_large: 'it is larger than the target stores',
  key_conflict: 'the target cannot hold an object and others below its key',
  quote_exceeded: 'it has grown at the source beyond the approved quote',
  source_missing: 'it was deleted at the source before it was copied',
  source_changing: 'it kept changing at the source while it was copied',
  source_incomplete: 'the source sent fewer bytes than it had announced',
  source_refused: 'the source does not permit reading it',
  source_unavailable: 'the source did not answer, or answered with an error',
  target_refused: 'the target does not permit writing it',
  target_rejected: 'the target does not take it as it is',
  target_unavailable: 'the target did not answer, or answered with an error',
  target_differs: 'the target holds other bytes than were sent',
  target_occupied: 'the target holds another object under its key, which stays',
  object_changed: 'it is not what was uploaded, or it changed while it was copied',
  old_object_waits: 'an earlier object of the file at the target waits for its delete',
  old_object_changed: 'the object at the place before is another one by now, and stays there',
  old_object_refused: 'the place before did not permit its delete for a week, and it stays there',
  file_deleted: 'the file was deleted meanwhile',
  file_moved: 'the file is elsewhere by now',
};

/** The outcome of one object: a line of the migration report. */
export interface LedgerLine {
  readonly key: string;
  readonly targetKey: string;
  readonly bytes: number;
  readonly sourceEtag: string;
  /** The SHA-256 of the copied bytes, in lower-case hex; null if none were copied. */
  readonly sha256: string | null;
  readonly targetEtag: string | null;
  readonly outcome: ObjectOutcome;
  /** Set if it replaced an object that the account's ledgers show as its own. */
  readonly replaced?: true;
  /** The size in bytes of the object that an earlier round wrote at the target. */
  readonly replacesBytes?: number;
  readonly code?: ObjectFailure;
  /** 0 if no attempt was possible. */
  readonly attempts: number;
  /** RFC 3339. */
  readonly at: string;
  /** When a relocation has moved the file, RFC 3339. */
  readonly movedAt?: string;
  /** When its old object is deleted; absent once nothing is left to do about it. */
  readonly deleteAt?: string;
  readonly sourceDeletedAt?: string;
  /** In a drill: what came of reading the copy back at the target. */
  readonly readBack?: 'equal' | ObjectFailure;
  /** Properties of the object that the target cannot hold. */
  readonly notCarried: readonly NotCarried[];
}

/** Whether the object is at the target, by this line. */
export function isMigrated({ outcome }: Pick<LedgerLine, 'outcome'>): boolean {
  return outcome === 'copied' || outcome === 'skipped';
}

export const NOT_CARRIED = ['tags', 'lock', 'redirect', 'metadata'] as const;
export type NotCarried = (typeof NOT_CARRIED)[number];
