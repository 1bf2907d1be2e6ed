/** What a migration is made of, object by object: the manifest says what is to be copied, the ledger what became of it. */

/** An object of the source as it was listed. */
export interface ManifestEntry {
  readonly key: string;
  readonly sizeBytes: number;
  /** As listed, without its quotes. */
  readonly etag: string;
  /** As `toISOString()` writes it. */
  readonly lastModified: string;
  readonly storageClass: string;
}

export const OBJECT_OUTCOMES = ['copied', 'skipped', 'failed'] as const;
export type ObjectOutcome = (typeof OBJECT_OUTCOMES)[number];

/** Why an object was not copied, for a machine; `FAILURE_REASONS` has the words. */
export const OBJECT_FAILURES = [
  'needs_restore',
  'class_without_price',
  'key_too_long',
  'source_missing',
  'source_changing',
  'source_incomplete',
  'source_refused',
  'source_unavailable',
  'target_refused',
  'target_rejected',
  'target_unavailable',
  'target_differs',
] as const;
export type ObjectFailure = (typeof OBJECT_FAILURES)[number];

export const FAILURE_REASONS: Readonly<Record<ObjectFailure, string>> = {
  needs_restore: 'it is in an archived class and must be restored first',
  class_without_price: 'its storage class has no price, so no quote covers it',
  key_too_long: 'its key at the target would be longer than 1,024 bytes',
  source_missing: 'it was deleted at the source before it was copied',
  source_changing: 'it kept changing at the source while it was copied',
  source_incomplete: 'the source sent fewer bytes than it had announced',
  source_refused: 'the source does not permit reading it',
  source_unavailable: 'the source did not answer, or answered with an error',
  target_refused: 'the target does not permit writing it',
  target_rejected: 'the target does not take it as it is',
  target_unavailable: 'the target did not answer, or answered with an error',
  target_differs: 'the target holds other bytes than were sent',
};

/** What became of one object: a line of the evidence. */
export interface LedgerLine {
  readonly key: string;
  readonly targetKey: string;
  readonly bytes: number;
  readonly sourceEtag: string;
  /** Of the bytes that were copied, in lower-case hex; null where none were. */
  readonly sha256: string | null;
  /** Null where there is none. */
  readonly targetEtag: string | null;
  readonly outcome: ObjectOutcome;
  /** There where it failed. */
  readonly code?: ObjectFailure;
  /** How often it was tried; 0 where that was pointless. */
  readonly attempts: number;
  /** RFC 3339. */
  readonly at: string;
  /** What the source holds beside the bytes and the target cannot. */
  readonly notCarried: readonly NotCarried[];
}

export const NOT_CARRIED = ['tags', 'lock'] as const;
export type NotCarried = (typeof NOT_CARRIED)[number];
