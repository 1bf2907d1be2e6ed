import type { Provider } from './files.ts';
import type { Quote, Selector } from './scan-result.ts';

/** What a migration says of itself. Money is in USD, with at most six decimals; times are RFC 3339. */

/** It has ended with `completed`, `completed_with_failures`, `failed` or `cancelled`. */
export type MigrationStatus =
  | 'queued'
  | 'planning'
  | 'copying'
  | 'verifying'
  | 'completed'
  | 'completed_with_failures'
  | 'failed'
  | 'cancelled';

/** What the approval of a recommendation answers; the same again for the same approval. */
export interface ApprovedMigration {
  migrationId: string;
  recommendationId: string;
  targetProvider: Provider;
  status: 'queued';
  /** What was approved. The migration ends before its first copy where it would cost over 10 % more. */
  quote: Quote;
  approvedBy: string;
  approvedAt: string;
}

/** What objects have at the source and a target cannot hold. */
export interface NotCarried {
  what: 'tags' | 'lock';
  objects: number;
}

export interface Migration {
  migrationId: string;
  recommendationId: string;
  status: MigrationStatus;
  source: { bucket: string; region: string; selector: Selector };
  /** An object's key there is `keyPrefix` and its key at the source. */
  target: { provider: Provider; bucketName: string; keyPrefix: string };
  quote: Quote;
  approvedBy: string;
  approvedAt: string;
  progress: {
    objectsTotal: number;
    objectsCopied: number;
    /** There and equal before the migration. */
    objectsSkipped: number;
    objectsFailed: number;
    bytesTotal: number;
    bytesCopied: number;
    /** By bytes; null until it is known what is to be copied. */
    percent: number | null;
    /** Of the last half minute; 0 where nothing is being copied. */
    bytesPerSecond: number;
    etaSeconds: number | null;
  };
  /** At most 100; the report has all of them. */
  failures: { key: string; code: string; reason: string; attempts: number }[];
  notCarried: NotCarried[];
  /** What later scans of the same connection found; null before the first of them. */
  realised: { state: 'copied_not_yet_saved' | 'saved'; asOf: string; monthlyUsd: number } | null;
  startedAt: string | null;
  updatedAt: string;
  completedAt: string | null;
  /** Why it `failed`. */
  error: { code: string; message: string } | null;
}

/** What became of one object: a line of the evidence. */
export interface ReportedObject {
  key: string;
  targetKey: string;
  bytes: number;
  sourceEtag: string;
  /** Of the bytes that were copied, in lower-case hex; null where none were. */
  sha256: string | null;
  targetEtag: string | null;
  outcome: 'copied' | 'skipped' | 'failed';
  /** There where it failed. */
  code?: string;
  attempts: number;
  at: string;
}

/** The last line of the report of a migration that has ended. */
export interface MigrationSummary {
  migrationId: string;
  status: MigrationStatus;
  objectsTotal: number;
  objectsCopied: number;
  objectsSkipped: number;
  objectsFailed: number;
  bytesTotal: number;
  bytesCopied: number;
  notCarried: NotCarried[];
  /** Whether the source bucket uses ACLs, which are not carried over. */
  acls: 'none' | 'not_carried' | 'unknown';
  startedAt: string | null;
  completedAt: string | null;
}

/** Told apart by `'key' in line`. */
export type ReportLine = ReportedObject | MigrationSummary;
